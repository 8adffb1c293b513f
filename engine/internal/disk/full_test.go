package disk

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"go.uber.org/goleak"

	"github.com/simdb/simdb/api"
)

// fullFrom is a disk that is full from the nth write on, while it is on.
type fullFrom struct {
	n    int64
	once bool // only that one
	seen atomic.Int64
	on   atomic.Bool
}

func (f *fullFrom) String() string { return "fullFrom" }

func (f *fullFrom) MaybeError(op errorfs.Op) error {
	if !f.on.Load() || op.Kind.ReadOrWrite() != errorfs.OpIsWrite {
		return nil
	}
	if seen := f.seen.Add(1); seen < f.n || f.once && seen > f.n {
		return nil
	}
	return fmt.Errorf("%s: %w", op.Path, syscall.ENOSPC)
}

// crashed is what a crash left of a store with records in its log, some flushed.
func crashed(t *testing.T) *vfs.MemFS {
	t.Helper()
	disk := vfs.NewCrashableMem()
	s := begun(t, "db", disk)
	defer s.Close()
	for seq := uint64(1); seq <= 20; seq++ {
		put(t, s, seq)
		if seq%6 == 0 {
			if err := s.Flush(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
	}
	return disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 50, RNG: rand.New(rand.NewPCG(1, 2))})
}

// put writes a record that is in the log and in Pebble.
func put(t *testing.T, s *Store, seq uint64) {
	t.Helper()
	ticket, err := s.Append(seq, []byte("record"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(apply(s, seq), s.Durable(context.Background(), ticket)); err != nil {
		t.Fatal(err)
	}
}

// An Open that fails on a full disk leaves nothing behind: no goroutine, nothing
// that tries again, no lock. Once there is room the same process opens the store.
func TestOpenOnFullDisk(t *testing.T) {
	images := map[string]func(*testing.T) *vfs.MemFS{
		"a new store":     func(*testing.T) *vfs.MemFS { return vfs.NewMem() },
		"a crashed store": crashed,
	}
	for what, image := range images {
		for _, once := range []bool{false, true} {
			for n := int64(1); ; n++ {
				if n > 500 {
					t.Fatalf("%s: 500 writes are not enough to open it", what)
				}
				if openWhenFull(t, fmt.Sprintf("%s, write %d (once: %v)", what, n, once), image(t), &fullFrom{n: n, once: once}) {
					break
				}
			}
		}
	}
}

// openWhenFull opens a store on a disk that gets full, and says whether it opened.
func openWhenFull(t *testing.T, what string, disk *vfs.MemFS, full *fullFrom) bool {
	t.Helper()
	before := goleak.IgnoreCurrent()
	full.on.Store(true)
	f := errorfs.Wrap(disk, full)
	s, err := beginStore("db", f)
	if err == nil {
		full.on.Store(false)
		s.Close()
		return full.seen.Load() < full.n
	}
	if !errors.Is(err, syscall.ENOSPC) || errors.Is(err, api.ErrLocked) || errors.Is(err, api.ErrCorrupt) {
		t.Errorf("%s: Open = %v, want ENOSPC", what, err)
	}
	// Every goroutine that could try again has ended, while the disk is full still.
	if err := goleak.Find(before); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	full.on.Store(false)
	if s, err = beginStore("db", f); err != nil {
		t.Fatalf("%s: with room again: %v", what, err)
	}
	if applied, err := s.Applied(); err != nil || strings.Contains(what, "crashed") && applied != 20 {
		t.Errorf("%s: with room again record %d is the last, %v, want 20", what, applied, err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("%s: close: %v", what, err)
	}
	return false
}

// fullAtSync is a disk that reports only at the sync of a table that it is full, while it is on.
type fullAtSync struct{ on atomic.Bool }

func (*fullAtSync) String() string { return "fullAtSync" }

func (f *fullAtSync) MaybeError(op errorfs.Op) error {
	syncs := op.Kind == errorfs.OpFileSync || op.Kind == errorfs.OpFileSyncData || op.Kind == errorfs.OpFileSyncTo
	if f.on.Load() && syncs && strings.HasSuffix(op.Path, ".sst") {
		return syscall.EDQUOT
	}
	return nil
}

// A compaction whose tables cannot be synced on a full disk leaves the store usable.
func TestCompactionFullAtSync(t *testing.T) {
	full := &fullAtSync{}
	s := begun(t, "db", errorfs.Wrap(vfs.NewMem(), full))
	defer s.Close()
	ctx := context.Background()
	for seq := uint64(1); seq <= 3; seq++ {
		put(t, s, seq)
		if err := s.Flush(ctx); err != nil {
			t.Fatal(err)
		}
	}
	full.on.Store(true)
	if err := s.Compact(ctx); !NoRoom(err) || !errors.Is(err, syscall.EDQUOT) || s.Poisoned() != nil {
		t.Errorf("compact on a full disk: %v; poisoned: %v", err, s.Poisoned())
	}
	full.on.Store(false)
	put(t, s, 4)
	if err := errors.Join(s.Flush(ctx), s.Compact(ctx)); err != nil {
		t.Errorf("with room again: %v", err)
	}
}

// After a flush nothing counts as unflushed, whatever the tables of the changes take.
func TestNothingUnflushedAfterFlush(t *testing.T) {
	s := begun(t, "db", vfs.NewMem())
	defer s.Close()
	ctx := context.Background()
	for seq := uint64(1); seq <= 200; seq++ {
		b := s.Pebble().NewBatch()
		if err := errors.Join(b.Set([]byte("key"), make([]byte, 100), nil), b.DeleteRange([]byte("l"), []byte("m"), nil), s.Apply(b), b.Close()); err != nil {
			t.Fatal(err)
		}
		if seq%20 == 0 {
			if err := s.Flush(ctx); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := s.pressure.unflushed.Load(); n != 0 {
		t.Errorf("%d bytes count as unflushed", n)
	}
}
