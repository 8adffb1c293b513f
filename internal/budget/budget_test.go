package budget

import (
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
)

// Lines of mountinfo: version 2 alone, both versions, a part of version 1 as in a container.
const (
	mounts2      = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
	mountsHybrid = "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n" +
		"35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
	mountsPart = "35 31 0:32 /box/7 /sys/fs/cgroup/memory ro shared:9 master:3 - cgroup cgroup rw,memory\n"
)

// The smallest limit of the machine and of all groups above the process counts.
func TestSystemLimit(t *testing.T) {
	const machine = 8 << 30
	for _, c := range []struct {
		name, mounts, group string
		limits              map[string]string
		want                int64
	}{
		{"no groups", "", "", nil, machine},
		{"version 2", mounts2, "0::/a/b\n", map[string]string{"a/b/memory.max": "134217728\n"}, 128 << 20},
		{"version 2, of a parent", mounts2, "0::/a/b\n", map[string]string{"a/b/memory.max": "max\n", "a/memory.max": "67108864\n"}, 64 << 20},
		{"version 2, namespace", mounts2, "0::/\n", map[string]string{"memory.max": "134217728\n"}, 128 << 20},
		{"version 2, of another group", mounts2, "0::/a\n", map[string]string{"b/memory.max": "1000000\n"}, machine},
		{"no limit", mounts2, "0::/a\n", map[string]string{"a/memory.max": "max\n"}, machine},
		{"unreadable", mounts2, "0::/a\n", map[string]string{"a/memory.max": "many\n"}, machine},
		{"larger than the machine", mounts2, "0::/a\n", map[string]string{"a/memory.max": "99999999999999\n"}, machine},
		{"both versions", mountsHybrid, "4:cpu:/x\n3:cpuset,memory:/a:b\n0::/c\n", map[string]string{
			"memory/a:b/memory.limit_in_bytes": "268435456\n", "memory/memory.limit_in_bytes": "9223372036854771712\n", "cpu/x/memory.limit_in_bytes": "1\n"}, 256 << 20},
		{"a mounted part", mountsPart, "3:memory:/box/7\n", map[string]string{"memory/memory.limit_in_bytes": "134217728\n"}, 128 << 20},
		{"a group outside of the part", mountsPart, "3:memory:/other\n", map[string]string{"memory/memory.limit_in_bytes": "134217728\n"}, 128 << 20},
	} {
		root := t.TempDir()
		write := func(name, content string) {
			path := filepath.Join(root, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		write("proc/meminfo", "MemTotal:        8388608 kB\nMemFree: 1 kB\n")
		write("proc/self/cgroup", c.group)
		write("proc/self/mountinfo", "23 1 0:1 / / rw - ext4 /dev/x rw\n"+c.mounts)
		for name, content := range c.limits {
			write("sys/fs/cgroup/"+name, content)
		}
		if got := systemLimit(root); got != c.want {
			t.Errorf("%s: limit %d, want %d", c.name, got, c.want)
		}
	}
	if got := systemLimit(t.TempDir()); got != math.MaxInt64 {
		t.Errorf("without files: limit %d, want none", got)
	}
}

// The budget is half of what the limit exceeds 64 MiB by, between 8 and 256 MiB, and follows the
// soft limit of the runtime.
func TestDefault(t *testing.T) {
	for limit, want := range map[int64]int64{
		math.MaxInt64: 256 << 20, 1 << 30: 256 << 20, 576 << 20: 256 << 20, 512 << 20: 224 << 20, 128 << 20: 32 << 20, 80 << 20: 8 << 20, 1: 8 << 20,
	} {
		if got := of(limit); got != want {
			t.Errorf("the budget below a limit of %d is %d, want %d", limit, got, want)
		}
	}
	before := debug.SetMemoryLimit(104 << 20)
	defer debug.SetMemoryLimit(before)
	if got, want := Default(), of(min(system(), 104<<20)); got != want {
		t.Errorf("the budget with a soft limit of 104 MiB is %d, want %d", got, want)
	}
}
