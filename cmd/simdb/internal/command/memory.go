package command

// Memory: the flag --memory, of all commands that open a database.

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb/cmd/simdb/internal/output"
)

// MaxDoc bounds --max-doc. A batch holds a text whole, and is bounded too.
const MaxDoc = 48 << 20

// leastMemory refuses a size that was meant to have a unit.
const leastMemory = 1 << 20

// MemorySize is the value of --memory in bytes; 0 means the default.
type MemorySize int64

// MemoryFlag adds the flag.
func MemoryFlag(cmd *cobra.Command) {
	cmd.Flags().Var(new(MemorySize), "memory", "memory for imports, indexes and joins, roughly, beside what all sets take: 512MB, 2GiB (default 256MiB)")
}

// defaultMemory is what the library takes without --memory.
const defaultMemory = 256 << 20

// besideMemory is what a command may take beside --memory before its garbage is collected at
// once.
const besideMemory = 48 << 20

// SoftLimit is the memory above which a command has its garbage collected at once
// (docs/decisions/0054).
func SoftLimit(cmd *cobra.Command) int64 { return cmp.Or(MemoryOf(cmd), defaultMemory) + besideMemory }

// MemoryOf returns what the command line says.
func MemoryOf(cmd *cobra.Command) int64 {
	if f := cmd.Flag("memory"); f != nil {
		if m, ok := f.Value.(*MemorySize); ok {
			return int64(*m)
		}
	}
	return 0
}

func (m *MemorySize) Set(s string) error {
	n, err := output.ParseBytes(s)
	switch {
	case err != nil:
		return fmt.Errorf("%w; write it like 512MB or 2GiB", err)
	case n < leastMemory:
		return fmt.Errorf("%q is less than 1MiB; write a size like 512MB or 2GiB", s)
	}
	*m = MemorySize(n)
	return nil
}

func (m *MemorySize) String() string {
	if *m == 0 {
		return ""
	}
	return output.Bytes(int64(*m))
}

func (m *MemorySize) Type() string { return "SIZE" }
