package main

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/simdb/simdb"
)

func TestVersionLine(t *testing.T) {
	build := func(version string, settings ...string) *debug.BuildInfo {
		info := &debug.BuildInfo{Main: debug.Module{Version: version}}
		for i := 0; i < len(settings); i += 2 {
			info.Settings = append(info.Settings, debug.BuildSetting{Key: settings[i], Value: settings[i+1]})
		}
		info.Deps = []*debug.Module{{Path: "github.com/cockroachdb/pebble/v2", Version: "v2.9.9"}}
		return info
	}
	const revision, later = "0123456789abcdef", "v0.1.1-0.20260102030405-0123456789ab"
	for _, tt := range []struct {
		name string
		info *debug.BuildInfo
		want string // between the version and that of Go
		peb  string
	}{
		{"nothing recorded", nil, "", "unknown"},
		{"no version", build(""), "", "v2.9.9"},
		{"a folder", build("(devel)"), "", "v2.9.9"},
		{"a release", build(simdb.Version), "", "v2.9.9"},
		{"a later commit", build(later), " (" + later + ")", "v2.9.9"},
		{"a checkout", build(later, "vcs.revision", revision, "vcs.modified", "false"), " (0123456789ab)", "v2.9.9"},
		{"a changed checkout", build(later+"+dirty", "vcs.revision", revision, "vcs.modified", "true"), " (0123456789ab, changed)", "v2.9.9"},
		{"a short revision", build("", "vcs.revision", "7"), " (7)", "v2.9.9"},
	} {
		want := "simdb " + simdb.Version + tt.want + ", " + runtime.Version() + ", pebble " + tt.peb
		if got := versionLine(tt.info); got != want {
			t.Errorf("%s: versionLine = %q, want %q", tt.name, got, want)
		}
	}
}
