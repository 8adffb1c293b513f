package main

// The version command.

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/cmd/simdb/internal/command"
)

// newVersion returns the version command.
func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show the versions of simdb, Go and Pebble",
		Args:  command.Args(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), version())
			return err
		},
	}
}

// version returns the version line of this binary.
func version() string {
	info, _ := debug.ReadBuildInfo()
	return versionLine(info)
}

// versionLine returns the version of simdb, with the revision of the source in parentheses if
// the build recorded one. info is nil if the build recorded nothing.
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

// builtFrom returns the revision of the source, or the version of an unreleased module.
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
