package main

// The command version.

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show the versions of simdb, of Go and of Pebble, which stores the data",
		Args:  positional(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), version())
			return err
		},
	}
}

func version() string {
	info, _ := debug.ReadBuildInfo()
	return versionLine(info)
}

// versionLine names what the command was built from. info is nil if the build
// has not recorded that.
func versionLine(info *debug.BuildInfo) string {
	version, revision, store := "(devel)", "", "unknown"
	if info != nil {
		if info.Main.Version != "" {
			version = info.Main.Version
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				revision = " " + s.Value[:min(12, len(s.Value))]
			}
		}
		for _, d := range info.Deps {
			if d.Path == "github.com/cockroachdb/pebble/v2" {
				store = d.Version
			}
		}
	}
	return fmt.Sprintf("simdb %s%s, %s, pebble %s", version, revision, runtime.Version(), store)
}
