package maintain

// What is said of a restore that failed.

import (
	"errors"
	"fmt"
	"syscall"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
)

// A disk that was full is named once, and what to do is the command itself.
func TestNotRestored(t *testing.T) {
	broken := fmt.Errorf("%w: %w", api.ErrPoisoned, syscall.ENOSPC)
	want := broken.Error() + "; look for a full or failing disk, then run simdb restore again: it starts again"
	if got := exit.MessageOf(notRestored("db", errors.Join(broken, broken))); got != want {
		t.Errorf("a restore on a full disk says %q, want %q", got, want)
	}
}
