package command

// The flag --memory of all commands that open a database.

import (
	"fmt"
	"sync"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
)

// MaxDoc is the greatest --max-doc, in bytes. A batch holds whole texts, and is itself limited.
const MaxDoc = 48 << 20

// leastMemory is the least --memory, in bytes. A smaller size probably lacks its unit.
const leastMemory = 1 << 20

// MemorySize is the value of --memory in bytes; 0 means the default.
type MemorySize int64

// MemoryFlag adds --memory to cmd.
func MemoryFlag(cmd *cobra.Command) {
	cmd.Flags().Var(new(MemorySize), "memory", "approximate memory budget, excluding about 15 bytes per set: 512MB, 2GiB (default 256MiB, less in a process with less than 576MiB)")
}

// defaultMemory returns the default of --memory in bytes. It is constant, because SoftLimit sets the
// limit that simdb.DefaultMemoryBytes reads.
var defaultMemory = sync.OnceValue(simdb.DefaultMemoryBytes)

// besideMemory is the number of bytes by which the soft limit exceeds --memory.
const besideMemory = 48 << 20

// SoftLimit returns the soft memory limit of the Go runtime for a command, in bytes. Without it,
// garbage could double the memory of a command (docs/decisions/0054).
func SoftLimit(cmd *cobra.Command) int64 { return MemoryOf(cmd) + besideMemory }

// MemoryOf returns the value of --memory in bytes, or its default.
func MemoryOf(cmd *cobra.Command) int64 {
	if f := cmd.Flag("memory"); f != nil {
		if m, ok := f.Value.(*MemorySize); ok && *m > 0 {
			return int64(*m)
		}
	}
	return defaultMemory()
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
