package maintain

// Messages of failed restores.

import (
	"errors"
	"fmt"
	"syscall"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
)

// A full disk is reported once, and the remedy is to repeat the command.
func TestNotRestored(t *testing.T) {
	broken := fmt.Errorf("%w: %w", api.ErrPoisoned, syscall.ENOSPC)
	want := broken.Error() + "; look for a full or failing disk, then run simdb restore again: it starts again"
	if got := exit.MessageOf(notRestored("db", errors.Join(broken, broken))); got != want {
		t.Errorf("a restore on a full disk says %q, want %q", got, want)
	}
}
