// Package budget determines the default memory budget of a database from the memory that the
// process may use. Begin with Default.
package budget

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
)

const (
	most   = 256 << 20
	least  = 8 << 20
	beside = 64 << 20 // program, caches, and garbage of the Go runtime
)

// Default returns the memory budget of a database whose caller sets none, in bytes: 256 MiB, or
// half of what the limit of the process exceeds 64 MiB by if that is less, but at least 8 MiB.
// The limit is the smallest of the memory of the machine, the limits of the control groups of the
// process, and the soft limit of the Go runtime, as set by GOMEMLIMIT or debug.SetMemoryLimit.
// Default reads the files of the system once, and the soft limit at each call.
func Default() int64 { return of(min(system(), debug.SetMemoryLimit(-1))) }

// Most returns the largest budget with which the system does not kill the process, in bytes: what its
// limit, of the machine or of a control group, exceeds 64 MiB by, but at least 8 MiB.
func Most() int64 { return max(least, system()-beside) }

// of returns the budget of a process with a limit.
func of(limit int64) int64 { return max(least, min(most, (limit-beside)/2)) }

// system returns the limit that the operating system sets.
var system = sync.OnceValue(func() int64 { return systemLimit("/") })

// systemLimit returns the smallest limit that the files below root name; math.MaxInt64 if none.
func systemLimit(root string) int64 {
	limit := int64(math.MaxInt64)
	meminfo, _ := os.ReadFile(filepath.Join(root, "proc/meminfo")) // exists on Linux alone
	var kib int64
	if n, _ := fmt.Sscanf(string(meminfo), "MemTotal: %d kB", &kib); n == 1 {
		limit = kib << 10
	}
	for _, dir := range groups(root) {
		for _, name := range []string{"memory.max", "memory.limit_in_bytes"} { // of version 2, of version 1
			b, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				continue
			}
			if n, err := strconv.ParseInt(string(bytes.TrimSpace(b)), 10, 64); err == nil && n > 0 { // not "max"
				limit = min(limit, n)
			}
		}
	}
	return limit
}

// groups returns the directories of the control groups that limit the memory of the process: its
// own and their parents, up to the mount points. Some may not exist: the path of a group is that
// of the host, of which a container may mount only a part.
func groups(root string) (dirs []string) {
	paths := map[bool]string{} // by version 2
	for _, line := range lines(root, "proc/self/cgroup") {
		if f := strings.SplitN(line, ":", 3); len(f) == 3 && (f[1] == "" || slices.Contains(strings.Split(f[1], ","), "memory")) {
			paths[f[1] == ""] = f[2]
		}
	}
	for _, line := range lines(root, "proc/self/mountinfo") {
		mount, kind, _ := strings.Cut(line, " - ")
		m, k := strings.Fields(mount), strings.Fields(kind)
		if len(m) < 5 || len(k) < 3 || k[0] != "cgroup2" && (k[0] != "cgroup" || !slices.Contains(strings.Split(k[2], ","), "memory")) {
			continue
		}
		path, ok := paths[k[0] == "cgroup2"]
		if !ok {
			continue
		}
		if below, err := filepath.Rel(m[3], path); err == nil && filepath.IsLocal(below) { // m[3] is mounted at m[4]
			path = below
		}
		for path = filepath.Join("/", path); path != "/"; path = filepath.Dir(path) {
			dirs = append(dirs, filepath.Join(root, m[4], path))
		}
		dirs = append(dirs, filepath.Join(root, m[4]))
	}
	return dirs
}

// lines returns the lines of a file below root; none if it cannot be read.
func lines(root, name string) []string {
	b, _ := os.ReadFile(filepath.Join(root, name))
	return strings.Split(string(b), "\n")
}
