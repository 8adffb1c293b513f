package command

import (
	"bytes"
	"testing"

	"github.com/spf13/cobra"
)

// A --memory beyond the limit of the process is lowered, with one line on stderr. The default and
// smaller values stay as they are, without a word.
func TestCapMemory(t *testing.T) {
	const most = 192 << 20
	for given, want := range map[string]struct {
		memory int64
		stderr string
	}{
		"":       {defaultMemory(), ""},
		"64MiB":  {64 << 20, ""},
		"192MiB": {most, ""},
		"256MiB": {most, "simdb: warning: --memory 256MiB exceeds the memory of this machine or container; simdb uses 192MiB\n"},
	} {
		var stderr bytes.Buffer
		cmd := &cobra.Command{}
		cmd.SetErr(&stderr)
		MemoryFlag(cmd)
		if given != "" {
			if err := cmd.Flags().Set("memory", given); err != nil {
				t.Fatal(err)
			}
		}
		CapMemory(cmd, most)
		if got := MemoryOf(cmd); got != want.memory || stderr.String() != want.stderr {
			t.Errorf("--memory %q: %d bytes, %q, want %d, %q", given, got, stderr.String(), want.memory, want.stderr)
		}
		if got := SoftLimit(cmd); got != want.memory+besideMemory {
			t.Errorf("--memory %q: a soft limit of %d bytes", given, got)
		}
	}
}
