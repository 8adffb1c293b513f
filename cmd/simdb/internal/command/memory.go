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

// LeastMemory is the least --memory, in bytes. A smaller size probably lacks its unit.
const LeastMemory = 1 << 20

// MemoryFlag adds --memory to cmd. MemoryOf returns its value.
func MemoryFlag(cmd *cobra.Command) {
	SizeFlag(cmd, new(int64), "memory", LeastMemory, AnySize, "approximate memory budget, excluding about 15 bytes per set: 512MB, 2GiB (default 256MiB, less in a process with less than 576MiB)")
}

// defaultMemory returns the default of --memory in bytes. It is constant, because SoftLimit sets the
// limit that simdb.DefaultMemoryBytes reads.
var defaultMemory = sync.OnceValue(simdb.DefaultMemoryBytes)

// besideMemory is the number of bytes by which the soft limit exceeds --memory.
const besideMemory = 48 << 20

// SoftLimit returns the soft memory limit of the Go runtime for a command, in bytes. Without it,
// garbage could double the memory of a command (docs/decisions/0054).
func SoftLimit(cmd *cobra.Command) int64 { return MemoryOf(cmd) + besideMemory }

// CapMemory lowers --memory to most bytes, with a line on stderr: the system would kill a process that
// uses more.
func CapMemory(cmd *cobra.Command, most int64) {
	if m := MemoryOf(cmd); m > most && cmd.Flags().Changed("memory") {
		*cmd.Flag("memory").Value.(*size).to = most
		fmt.Fprintf(cmd.ErrOrStderr(), "simdb: warning: --memory %s exceeds the memory of this machine or container; simdb uses %s\n", output.Size(m), output.Size(most))
	}
}

// MemoryOf returns the value of --memory in bytes, or its default.
func MemoryOf(cmd *cobra.Command) int64 {
	if f := cmd.Flag("memory"); f != nil {
		if m, ok := f.Value.(*size); ok && *m.to > 0 {
			return *m.to
		}
	}
	return defaultMemory()
}
