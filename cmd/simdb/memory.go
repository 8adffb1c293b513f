package main

// The flag --memory, of all commands that open a database.

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"
)

// leastMemory refuses a size that was meant to have a unit.
const leastMemory = 1 << 20

// memorySize is the value of --memory in bytes; 0 means the default.
type memorySize int64

func memoryFlag(cmd *cobra.Command) {
	cmd.Flags().Var(new(memorySize), "memory", "memory for imports, indexes and joins, roughly, beside what all sets take: 512MB, 2GiB (default 256MiB)")
}

// defaultMemory is what the library takes without --memory.
const defaultMemory = 256 << 20

// besideMemory is what a text of 16 MiB, analysed once, and caches take beside --memory.
const besideMemory = 144 << 20

// softLimit is the memory above which a command has its garbage collected at once
// (docs/decisions/0054).
func softLimit(cmd *cobra.Command) int64 { return cmp.Or(memoryOf(cmd), defaultMemory) + besideMemory }

// memoryOf returns what the command line says.
func memoryOf(cmd *cobra.Command) int64 {
	if f := cmd.Flag("memory"); f != nil {
		if m, ok := f.Value.(*memorySize); ok {
			return int64(*m)
		}
	}
	return 0
}

func (m *memorySize) Set(s string) error {
	n, err := parseBytes(s)
	switch {
	case err != nil:
		return fmt.Errorf("%w; write it like 512MB or 2GiB", err)
	case n < leastMemory:
		return fmt.Errorf("%q is less than 1MiB; write a size like 512MB or 2GiB", s)
	}
	*m = memorySize(n)
	return nil
}

func (m *memorySize) String() string {
	if *m == 0 {
		return ""
	}
	return formatBytes(int64(*m))
}

func (m *memorySize) Type() string { return "SIZE" }
