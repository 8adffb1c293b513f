package main

// This file notes the machine: figures mean nothing without it.

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
)

// machineFigures says where and with what was measured, as far as one can tell.
func machineFigures(ctx context.Context) []figure {
	note := func(name, what string) figure { return figure{Name: name, Note: what} }
	var memory float64 // kB
	if total, ok := valueIn("/proc/meminfo", "MemTotal"); ok {
		fmt.Sscan(total, &memory)
	}
	kernel, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	commit, _ := exec.CommandContext(ctx, "git", "describe", "--always", "--dirty").Output()
	return []figure{
		note("machine", fmt.Sprintf("%s, %d cores, %.0f GB of memory", processor(), runtime.NumCPU(), memory/1e6)),
		note("vectors", vectors()),
		note("system", strings.TrimSpace(fmt.Sprintf("%s/%s %s", runtime.GOOS, runtime.GOARCH, kernel))),
		note("go", runtime.Version()),
		note("simdb", strings.TrimSpace(string(commit))),
	}
}

func processor() string {
	name, ok := valueIn("/proc/cpuinfo", "model name")
	if !ok {
		return "unnamed processor"
	}
	return name
}

// vectors are the instructions of the processor that work on vectors or many bits, as the
// system names them.
func vectors() string {
	flags, ok := valueIn("/proc/cpuinfo", "flags")
	if !ok {
		flags, _ = valueIn("/proc/cpuinfo", "Features") // of arm64
	}
	names := slices.DeleteFunc(strings.Fields(flags), func(name string) bool {
		return !slices.ContainsFunc([]string{"sse4", "avx", "bmi", "popcnt", "asimd", "sve"}, func(p string) bool { return strings.HasPrefix(name, p) })
	})
	return cmp.Or(strings.Join(names, " "), "unknown")
}

// valueIn returns the value of the first line "key: value" of a file.
func valueIn(file, key string) (string, bool) {
	f, err := os.Open(file)
	if err != nil {
		return "", false
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if k, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(k) == key {
			return strings.TrimSpace(value), true
		}
	}
	return "", false
}
