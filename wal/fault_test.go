package wal

// These tests let writes, syncs and reads of the file system fail.

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// nthOp fails the nth operation of one kind, and if always, all behind it.
type nthOp struct {
	kind   errorfs.OpReadWrite
	n      int
	always bool
	seen   int
	failed *errorfs.Op
}

func (f *nthOp) String() string { return "nthOp" }

func (f *nthOp) MaybeError(op errorfs.Op) error {
	if op.Kind.ReadOrWrite() != f.kind {
		return nil
	}
	f.seen++
	if f.seen == f.n+1 || f.always && f.seen > f.n {
		if f.failed == nil {
			f.failed = &op
		}
		return errorfs.ErrInjected
	}
	return nil
}

// Whichever write fails, once or for good: everyone is told, OnError once, no
// later call claims success, and what was acknowledged is there. The disk then
// loses what was not synced, so a success that was only claimed would show.
func TestWriteFaults(t *testing.T) {
	const n = 12
	faults := 0
	for _, always := range []bool{false, true} {
		for op := 0; ; op++ {
			mem := vfs.NewCrashableMem()
			inj := &nthOp{kind: errorfs.OpIsWrite, n: op, always: always}
			told := 0
			opts := Options{SegmentBytes: 10_000, OnError: func(err error) {
				if told++; !errors.Is(err, errorfs.ErrInjected) {
					t.Errorf("fault %d: OnError(%v)", op, err)
				}
			}}
			acked, appended, applied, failed := faultyRun(t, errorfs.Wrap(mem, inj), opts, n)
			if inj.failed == nil {
				if acked != n || failed {
					t.Errorf("without a fault %d of %d records are acknowledged", acked, n)
				}
				break
			}
			faults++
			// A deletion is tried again; the directory before Start is no log yet.
			if told > 1 || failed && told != 1 {
				t.Errorf("fault %d on %+v: OnError called %d times", op, *inj.failed, told)
			}
			image := mem.CrashClone(vfs.CrashCloneCfg{})
			if err := image.MkdirAll("wal", 0o755); err != nil {
				t.Fatal(err)
			}
			got, r, err := replayOf(t, image, "wal", applied)
			if last := max(r.Last, applied); err != nil || last < acked || last > appended {
				t.Errorf("fault %d on %+v: Replay(%d) = %+v, %v, want a last record from %d to %d",
					op, *inj.failed, applied, r, err, acked, appended)
			}
			checkPayloads(t, got, applied)
		}
	}
	t.Logf("%d faults", faults)
}

// faultyRun stores n records, releases some, and closes the log. After the
// first failed append or wait it checks that the log stays failed.
func faultyRun(t *testing.T, fs vfs.FS, opts Options, n uint64) (acked, appended, applied uint64, failed bool) {
	t.Helper()
	l, err := Open(fs, "wal", opts)
	if err != nil {
		return
	}
	defer l.Close()
	if _, err := l.Replay(0, func(uint64, []byte) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if err := l.Start(1); err != nil {
		checkFailed(t, l, 1)
		return 0, 0, 0, true
	}
	var tickets []Ticket
	for seq := uint64(1); seq <= n; seq++ {
		ticket, err := l.Append(seq, payloadOf(seq))
		if err == nil {
			appended = seq
			tickets = append(tickets, ticket)
			if seq%2 == 0 || seq == n {
				err = ticket.Wait(context.Background())
			}
		}
		if err != nil {
			checkFailed(t, l, seq+1)
			// Old acknowledgements stand, all others are refused, again and again.
			for range 2 {
				for i, ticket := range tickets {
					if err := ticket.Wait(context.Background()); (err == nil) != (uint64(i) < acked) {
						t.Errorf("after a fault Wait(%d) = %v, acknowledged was %d", i+1, err, acked)
					}
				}
			}
			return acked, appended, applied, true
		}
		if seq%2 == 0 {
			acked = seq
		}
		if seq%4 == 0 {
			applied = seq - 2
			if l.Release(applied) != nil {
				if err := l.Release(applied); err != nil && l.Err() != nil {
					t.Errorf("a failed deletion makes the log unusable: %v", err)
				}
			}
		}
	}
	if err := l.Reset(n + 1); err != nil {
		applied = n // the caller's promise, whatever became of the log
		checkFailed(t, l, n+1)
		return acked, appended, applied, true
	}
	return acked, appended, n, false
}

func checkFailed(t *testing.T, l *Log, seq uint64) {
	t.Helper()
	cause := l.Err()
	if !errors.Is(cause, errorfs.ErrInjected) {
		t.Errorf("Err() after a fault = %v", cause)
	}
	if _, err := l.Append(seq, nil); err == nil || l.stage == started && err != cause {
		t.Errorf("Append after a fault = %v, want %v", err, cause)
	}
	if err := l.Reset(seq); err == nil {
		t.Error("Reset after a fault succeeds")
	}
	for range 2 {
		if err := l.Close(); err != cause {
			t.Errorf("Close after a fault = %v, want %v", err, cause)
		}
	}
}

// A sync that fails wakes the writers of its group and of the pending one.
func TestFaultWakesEveryone(t *testing.T) {
	entered, open := make(chan struct{}), make(chan struct{})
	inj := errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind != errorfs.OpFileSyncData {
			return nil
		}
		close(entered) // twice would panic: a failed sync is not tried again
		<-open
		return errorfs.ErrInjected
	})
	l := startedLog(t, errorfs.Wrap(vfs.NewMem(), inj), "wal", Options{})
	first := mustAppend(t, l, 1, nil)
	results := make(chan error)
	go func() { results <- first.Wait(context.Background()) }()
	<-entered
	for seq := uint64(2); seq <= 10; seq++ {
		ticket := mustAppend(t, l, seq, nil)
		go func() { results <- ticket.Wait(context.Background()) }()
	}
	close(open)
	for range 10 {
		if err := <-results; !errors.Is(err, errorfs.ErrInjected) {
			t.Errorf("Wait = %v, want the fault", err)
		}
	}
}

// Close syncs what no one waited for, and says so if that fails.
func TestCloseFault(t *testing.T) {
	inj := errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind == errorfs.OpFileSyncData {
			return errorfs.ErrInjected
		}
		return nil
	})
	l := startedLog(t, errorfs.Wrap(vfs.NewMem(), inj), "wal", Options{})
	ticket := mustAppend(t, l, 1, nil)
	if err := l.Close(); !errors.Is(err, errorfs.ErrInjected) {
		t.Errorf("Close = %v, want the fault", err)
	}
	if err := ticket.Wait(context.Background()); !errors.Is(err, errorfs.ErrInjected) {
		t.Errorf("Wait = %v, want the fault", err)
	}
}

// Whichever read fails, Open or Replay says so, and never that the log is
// corrupt or shorter than it is.
func TestReadFaults(t *testing.T) {
	files, names := smallLog(t, 9, false)
	last := names[len(names)-1]
	fs := damaged(t, files, last, slices.Concat(files[last], make([]byte, 100))) // so that the tail is read too
	for op := 0; ; op++ {
		inj := &nthOp{kind: errorfs.OpIsRead, n: op}
		got, r, err := replayOf(t, errorfs.Wrap(fs, inj), "wal", 0)
		if inj.failed == nil {
			if err != nil || r.Records != 9 || op < 10 {
				t.Errorf("without a fault, after %d with one: Replay = %+v, %v", op, r, err)
			}
			break
		}
		if !errors.Is(err, errorfs.ErrInjected) || errors.Is(err, ErrCorrupt) {
			t.Errorf("fault %d on %+v: Replay = %+v, %v, want the fault", op, *inj.failed, r, err)
		}
		checkSmall(t, "fault", op, got, 0)
	}
}

// fullDisk takes so many bytes and then no more.
type fullDisk struct {
	vfs.FS
	left *int
}

type fullFile struct {
	vfs.File
	left *int
}

var errDiskFull = errors.New("disk full")

func (fs fullDisk) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := fs.FS.Create(name, c)
	return fullFile{f, fs.left}, err
}

// Write stores what fits, as a real disk does.
func (f fullFile) Write(p []byte) (int, error) {
	n, err := f.File.Write(bytes.Clone(p[:min(len(p), *f.left)]))
	*f.left -= n
	if err == nil && n < len(p) {
		err = errDiskFull
	}
	return n, err
}

// When the disk is full the log fails; once there is room it goes on from what
// was stored.
func TestDiskFull(t *testing.T) {
	const n = 20
	for room := 0; room <= 60_000; room += 997 {
		mem := vfs.NewMem()
		left := room
		full := fullDisk{mem, &left}
		l, err := Open(full, "wal", Options{SegmentBytes: 10_000})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.Replay(0, func(uint64, []byte) error { return nil }); err != nil {
			t.Fatal(err)
		}
		err = l.Start(1)
		acked := uint64(0)
		for err == nil && acked < n {
			var ticket Ticket
			if ticket, err = l.Append(acked+1, payloadOf(acked+1)); err == nil {
				if err = ticket.Wait(context.Background()); err == nil {
					acked++
				}
			}
		}
		if acked < n && !errors.Is(err, errDiskFull) {
			t.Errorf("room for %d bytes: %d records, then %v", room, acked, err)
		}
		if err := l.Close(); (err != nil) != (acked < n) {
			t.Errorf("room for %d bytes: Close = %v after %d records", room, err, acked)
		}
		got, r, err := replayOf(t, mem, "wal", 0)
		if err != nil || r.Last != acked {
			t.Errorf("room for %d bytes: Replay = %+v, %v, want %d records", room, r, err, acked)
		}
		checkPayloads(t, got, 0)
		l = startedLog(t, mem, "wal", Options{})
		mustStore(t, l, acked+1, payloadOf(acked+1))
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
