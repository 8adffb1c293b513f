package main

// The command version.

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/cmd/simdb/internal/command"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show the versions of simdb, of Go and of Pebble, which stores the data",
		Args:  command.Args(0, 0),
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

// versionLine names the version of the source, and in brackets what it was built
// from, where the build has recorded that and it says more. info is nil if the
// build has recorded nothing.
func versionLine(info *debug.BuildInfo) string {
	line := "simdb " + simdb.Version
	if from := builtFrom(info); from != "" {
		line += " (" + from + ")"
	}
	store := "unknown"
	if info != nil {
		for _, d := range info.Deps {
			if d.Path == "github.com/cockroachdb/pebble/v2" {
				store = d.Version
			}
		}
	}
	return fmt.Sprintf("%s, %s, pebble %s", line, runtime.Version(), store)
}

// builtFrom returns the revision that the command was built from, or the version
// of a module that is no release.
func builtFrom(info *debug.BuildInfo) string {
	if info == nil {
		return ""
	}
	setting := map[string]string{}
	for _, s := range info.Settings {
		setting[s.Key] = s.Value
	}
	revision, version := setting["vcs.revision"], info.Main.Version
	switch {
	case revision != "" && setting["vcs.modified"] == "true":
		return revision[:min(12, len(revision))] + ", changed"
	case revision != "":
		return revision[:min(12, len(revision))]
	case version == "(devel)" || version == simdb.Version:
		return ""
	}
	return version
}
