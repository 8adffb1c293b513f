package wal

// These tests check a log that nothing happens to: appending, replay, release,
// groups and misuse.

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// startedLog opens, replays and starts the log in dir, all of whose records
// it takes as applied.
func startedLog(tb testing.TB, fs vfs.FS, dir string, opts Options) *Log {
	tb.Helper()
	l, err := Open(fs, dir, opts)
	if err != nil {
		tb.Fatal(err)
	}
	r, err := l.Replay(0, func(uint64, []byte) error { return nil })
	if err != nil {
		tb.Fatal(err)
	}
	if err := l.Start(r.Last + 1); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { l.Close() })
	return l
}

// payloadOf returns the payload that the tests give to record seq: some are
// empty, some as long as several disk blocks.
func payloadOf(seq uint64) []byte {
	n := []int{40, 0, 700, 5000, 1, 13000}[seq%6]
	return bytes.Repeat(fmt.Appendf(nil, "record %d;", seq), n/8+1)[:n]
}

func mustAppend(tb testing.TB, l *Log, seq uint64, payload []byte) Ticket {
	tb.Helper()
	t, err := l.Append(seq, payload)
	if err != nil {
		tb.Fatalf("Append(%d): %v", seq, err)
	}
	return t
}

func mustStore(tb testing.TB, l *Log, seq uint64, payload []byte) {
	tb.Helper()
	if err := mustAppend(tb, l, seq, payload).Wait(context.Background()); err != nil {
		tb.Fatalf("Wait(%d): %v", seq, err)
	}
}

// replayOf replays the log in dir and returns what it hands out. It fails the
// test if the sequence numbers are not those from after+1 on.
func replayOf(tb testing.TB, fs vfs.FS, dir string, after uint64) ([][]byte, Replayed, error) {
	tb.Helper()
	l, err := Open(fs, dir, Options{})
	if err != nil {
		return nil, Replayed{}, err
	}
	defer l.Close()
	var got [][]byte
	r, err := l.Replay(after, func(seq uint64, payload []byte) error {
		got = append(got, slices.Clone(payload))
		if want := after + uint64(len(got)); seq != want {
			tb.Errorf("Replay(%d) hands out record %d, want %d", after, seq, want)
		}
		return nil
	})
	if r.Records != int64(len(got)) {
		tb.Errorf("Replay(%d) says %d records, handed out %d", after, r.Records, len(got))
	}
	return got, r, err
}

// checkPayloads compares the payloads replayed after a record with payloadOf.
func checkPayloads(tb testing.TB, got [][]byte, after uint64) {
	tb.Helper()
	for i, payload := range got {
		if seq := after + uint64(i) + 1; !bytes.Equal(payload, payloadOf(seq)) {
			tb.Errorf("payload of record %d = %.40q, want %.40q", seq, payload, payloadOf(seq))
		}
	}
}

func logNames(tb testing.TB, fs vfs.FS, dir string) []string {
	tb.Helper()
	names, err := fs.List(dir)
	if err != nil {
		tb.Fatal(err)
	}
	slices.Sort(names)
	return slices.DeleteFunc(names, func(name string) bool { return name == MarkName })
}

func readFile(tb testing.TB, fs vfs.FS, name string) []byte {
	tb.Helper()
	f, err := fs.Open(name)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func writeFile(tb testing.TB, fs vfs.FS, name string, b []byte) {
	tb.Helper()
	f, err := fs.Create(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	// Write may change the slice it is given.
	if _, err := f.Write(slices.Clone(b)); err != nil {
		tb.Fatal(err)
	}
}

// A log on a real file system comes back as it was appended.
func TestRoundTrip(t *testing.T) {
	dir := vfs.Default.PathJoin(t.TempDir(), "wal")
	l := startedLog(t, vfs.Default, dir, Options{SegmentBytes: 20_000})
	const n = 50
	for seq := uint64(1); seq <= n; seq++ {
		mustStore(t, l, seq, payloadOf(seq))
	}
	bytesBefore := l.Bytes()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if names := logNames(t, vfs.Default, dir); len(names) < 5 {
		t.Errorf("segments = %v, want more of them", names)
	}
	var size int64
	for _, name := range logNames(t, vfs.Default, dir) {
		size += int64(len(readFile(t, vfs.Default, vfs.Default.PathJoin(dir, name))))
	}
	if size != bytesBefore {
		t.Errorf("Bytes() = %d, want %d", bytesBefore, size)
	}
	for after := uint64(0); after <= n+1; after++ {
		got, r, err := replayOf(t, vfs.Default, dir, after)
		if want := (Replayed{Last: n, Records: max(0, n-int64(after))}); err != nil || r != want {
			t.Errorf("Replay(%d) = %+v, %v, want %+v", after, r, err, want)
		}
		checkPayloads(t, got, after)
	}
}

// The bytes of version 1 stay what they are.
func TestFormat(t *testing.T) {
	fs := vfs.NewMem()
	l := startedLog(t, fs, "wal", Options{})
	mustStore(t, l, 1, []byte("one"))
	mustAppend(t, l, 2, nil)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	// From the description in the package comment, by other means.
	const want = "73696d646277616c" + "01000000" + "0100000000000000" + "3d31ee3b" +
		"9b40899e" + "e9b2942a" + "03000000" + "52454301" + "0100000000000000" + "0000000000000000" + "6f6e65" +
		"67363b45" + "00000000" + "00000000" + "52454301" + "0200000000000000" + "0100000000000000"
	got := hex.EncodeToString(readFile(t, fs, "wal/0000000000000001.log"))
	if got != want {
		t.Errorf("segment = %s, want %s", got, want)
	}
}

func TestSegmentName(t *testing.T) {
	for _, tt := range []struct {
		name  string
		first uint64
		ok    bool
	}{
		{"0000000000000001.log", 1, true},
		{"00000000000000ff.log", 255, true},
		{"ffffffffffffffff.log", 1<<64 - 1, true},
		{"0000000000000000.log", 0, false},
		{"00000000000000FF.log", 255, false},
		{"1.log", 1, false},
		{"+000000000000001.log", 0, false},
		{"0000000000000001.tmp", 0, false},
		{"LOCK", 0, false},
	} {
		if first, ok := parseSegmentName(tt.name); ok != tt.ok || ok && first != tt.first {
			t.Errorf("parseSegmentName(%q) = %d, %v, want %d, %v", tt.name, first, ok, tt.first, tt.ok)
		}
	}
}

// Calls out of order are refused and harm nothing.
func TestMisuse(t *testing.T) {
	fs := vfs.NewMem()
	if _, err := Open(fs, "wal", Options{SegmentBytes: -1}); err == nil {
		t.Error("Open with SegmentBytes -1 succeeds")
	}
	l, err := Open(fs, "wal", Options{})
	if err != nil {
		t.Fatal(err)
	}
	refused := func(call string, err error) {
		t.Helper()
		if err == nil {
			t.Errorf("%s succeeds", call)
		}
	}
	nothing := func(uint64, []byte) error { return nil }
	refused("Start before Replay", l.Start(1))
	if _, err := l.Replay(0, nothing); err != nil {
		t.Fatal(err)
	}
	_, err = l.Replay(0, nothing)
	refused("second Replay", err)
	_, err = l.Append(1, nil)
	refused("Append before Start", err)
	refused("Release before Start", l.Release(1))
	refused("Reset before Start", l.Reset(1))
	refused("Start at 0", l.Start(0))
	if err := l.Start(1); err != nil {
		t.Errorf("Start after refused calls: %v", err)
	}
	refused("second Start", l.Start(2))
	_, err = l.Append(2, nil)
	refused("Append of 2 first", err)
	mustStore(t, l, 1, nil)
	_, err = l.Append(1, nil)
	refused("second Append of 1", err)
	refused("Reset to the last record", l.Reset(1))
	refused("Wait on the zero Ticket", Ticket{}.Wait(context.Background()))
	mustStore(t, l, 2, nil)
	if err := l.Err(); err != nil {
		t.Errorf("Err() = %v", err)
	}
	for range 2 {
		if err := l.Close(); err != nil {
			t.Errorf("Close() = %v", err)
		}
	}
	_, err = l.Append(3, nil)
	if !errors.Is(err, ErrClosed) {
		t.Errorf("Append after Close = %v, want ErrClosed", err)
	}
	if err := l.Reset(3); !errors.Is(err, ErrClosed) {
		t.Errorf("Reset after Close = %v, want ErrClosed", err)
	}
}

func TestTooLarge(t *testing.T) {
	if err := checkLength(MaxRecordBytes); err != nil {
		t.Errorf("checkLength(MaxRecordBytes) = %v", err)
	}
	if err := checkLength(MaxRecordBytes + 1); !errors.Is(err, ErrTooLarge) {
		t.Errorf("checkLength(MaxRecordBytes+1) = %v, want ErrTooLarge", err)
	}
}

// A record larger than what may be pending is stored like any other.
func TestLargeRecord(t *testing.T) {
	fs := vfs.NewMem()
	l := startedLog(t, fs, "wal", Options{})
	large := bytes.Repeat([]byte("large "), maxPendingBytes/2)
	mustStore(t, l, 1, []byte("small"))
	mustStore(t, l, 2, large)
	mustStore(t, l, 3, []byte("small"))
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	got, _, err := replayOf(t, fs, "wal", 0)
	if err != nil || len(got) != 3 || !bytes.Equal(got[1], large) {
		t.Errorf("Replay hands out %d records, %v, want 3 with the large one intact", len(got), err)
	}
}

// Release deletes exactly the segments whose records are all durable.
func TestRelease(t *testing.T) {
	fs := vfs.NewMem()
	l := startedLog(t, fs, "wal", Options{SegmentBytes: 1})
	const n = 6 // each in a segment of its own
	for seq := uint64(1); seq <= n; seq++ {
		mustStore(t, l, seq, payloadOf(seq))
	}
	for durable := uint64(0); durable <= n+1; durable++ {
		if err := l.Release(durable); err != nil {
			t.Fatal(err)
		}
		first := min(durable+1, n) // the current segment stays
		var want []string
		var bytes int64
		for seq := first; seq <= n; seq++ {
			want = append(want, segment{first: seq}.name())
			bytes += int64(segmentHeaderSize + frameHeadSize + len(payloadOf(seq)))
		}
		if got := logNames(t, fs, "wal"); !slices.Equal(got, want) {
			t.Errorf("Release(%d) leaves %v, want %v", durable, got, want)
		}
		if got := l.Bytes(); got != bytes {
			t.Errorf("after Release(%d) Bytes() = %d, want %d", durable, got, bytes)
		}
	}
}

// Reset leaves an empty log that knows its place, and counts on from there.
func TestReset(t *testing.T) {
	fs := vfs.NewMem()
	l := startedLog(t, fs, "wal", Options{SegmentBytes: 1})
	ticket := mustAppend(t, l, 1, payloadOf(1))
	mustStore(t, l, 2, payloadOf(2))
	last := mustAppend(t, l, 3, payloadOf(3))
	if err := l.Reset(10); err != nil {
		t.Fatal(err)
	}
	for _, ticket := range []Ticket{ticket, last} {
		if err := ticket.Wait(context.Background()); err != nil {
			t.Errorf("Wait after Reset = %v", err)
		}
	}
	if got, want := logNames(t, fs, "wal"), []string{"000000000000000a.log"}; !slices.Equal(got, want) {
		t.Errorf("Reset(10) leaves %v, want %v", got, want)
	}
	for range 2 { // to the same place again
		if err := l.Reset(10); err != nil {
			t.Fatal(err)
		}
	}
	if l.Bytes() != segmentHeaderSize {
		t.Errorf("after Reset Bytes() = %d, want %d", l.Bytes(), segmentHeaderSize)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, r, err := replayOf(t, fs, "wal", 9); err != nil || r != (Replayed{Last: 9}) {
		t.Errorf("Replay(9) after Reset(10) = %+v, %v, want Last 9 only", r, err)
	}
	if _, _, err := replayOf(t, fs, "wal", 8); !errors.Is(err, ErrCorrupt) {
		t.Errorf("Replay(8) after Reset(10) = %v, want ErrCorrupt: record 9 is nowhere", err)
	}
}

// A Reset during a sync waits for it, and the log can be appended to after.
func TestResetDuringSync(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		fs := vfs.NewMem()
		l := startedLog(t, errorfs.Wrap(fs, g), "wal", Options{})
		ticket := mustAppend(t, l, 1, payloadOf(1))
		go func() {
			if err := ticket.Wait(t.Context()); err != nil {
				t.Errorf("Wait = %v", err)
			}
		}()
		synctest.Wait()
		reset := make(chan error)
		go func() { reset <- l.Reset(2) }()
		synctest.Wait()
		close(g.open)
		if err := <-reset; err != nil {
			t.Errorf("Reset = %v", err)
		}
		mustStore(t, l, 2, payloadOf(2))
		if got, want := logNames(t, fs, "wal"), []string{"0000000000000002.log"}; !slices.Equal(got, want) {
			t.Errorf("Reset(2) leaves %v, want %v", got, want)
		}
	})
}

// A log is opened, added to and left again and again; no segment is reused.
func TestReopen(t *testing.T) {
	fs := vfs.NewMem()
	seq := uint64(0)
	for round := range uint64(5) {
		l, err := Open(fs, "wal", Options{SegmentBytes: 2000})
		if err != nil {
			t.Fatal(err)
		}
		after := seq - min(seq, round) // some records were applied
		var got [][]byte
		r, err := l.Replay(after, func(_ uint64, payload []byte) error {
			got = append(got, slices.Clone(payload))
			return nil
		})
		if err != nil || r.Last != seq || uint64(len(got)) != seq-after {
			t.Fatalf("Replay(%d) = %+v, %v, want %d records to %d", after, r, err, seq-after, seq)
		}
		checkPayloads(t, got, after)
		if err := l.Start(seq + 1); err != nil {
			t.Fatal(err)
		}
		if got, want := logNames(t, fs, "wal"), []string{segment{first: seq + 1}.name()}; !slices.Equal(got, want) {
			t.Errorf("Start(%d) leaves %v, want %v", seq+1, got, want)
		}
		for range 2 * round { // the first round leaves an empty log
			seq++
			mustAppend(t, l, seq, payloadOf(seq))
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// gate is an injector that holds every data sync until it is opened.
type gate struct {
	entered, open chan struct{}
	syncs         atomic.Int64
}

func newGate() *gate {
	return &gate{entered: make(chan struct{}, 1000), open: make(chan struct{})}
}

func (g *gate) String() string { return "gate" }

func (g *gate) MaybeError(op errorfs.Op) error {
	if op.Kind == errorfs.OpFileSyncData {
		g.syncs.Add(1)
		g.entered <- struct{}{}
		<-g.open
	}
	return nil
}

// While one sync is under way, all other writers form the next group.
func TestGroupCommit(t *testing.T) {
	g := newGate()
	fs := vfs.NewMem()
	l := startedLog(t, errorfs.Wrap(fs, g), "wal", Options{})
	const writers = 32
	var mu sync.Mutex // the caller's: number and append in one go
	var seq uint64
	var appended, done sync.WaitGroup
	put := func() {
		mu.Lock()
		seq++
		ticket, err := l.Append(seq, payloadOf(seq))
		mu.Unlock()
		appended.Done()
		if err == nil {
			err = ticket.Wait(context.Background())
		}
		if err != nil {
			t.Errorf("put: %v", err)
		}
	}
	appended.Add(1)
	done.Go(put)
	<-g.entered // the first is being synced
	appended.Add(writers - 1)
	for range writers - 1 {
		done.Go(put)
	}
	appended.Wait()
	close(g.open)
	done.Wait()
	if got := g.syncs.Load(); got != 2 {
		t.Errorf("%d writers take %d syncs, want 2", writers, got)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	got, r, err := replayOf(t, fs, "wal", 0)
	if err != nil || r.Records != writers {
		t.Errorf("Replay = %+v, %v, want %d records", r, err, writers)
	}
	checkPayloads(t, got, 0)
}

// Many writers at once, through many rotations and releases.
func TestManyWriters(t *testing.T) {
	fs := vfs.NewMem()
	l := startedLog(t, fs, "wal", Options{SegmentBytes: 8 << 10})
	const writers, each = 32, 20
	var mu sync.Mutex
	var seq uint64
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range each {
				mu.Lock()
				seq++
				mine := seq
				ticket, err := l.Append(mine, payloadOf(mine))
				mu.Unlock()
				if err == nil {
					err = ticket.Wait(context.Background())
				}
				// A quarter of the log is kept, with whatever is not durable yet.
				if err == nil && mine > writers*each/4 {
					err = l.Release(mine - writers*each/4)
				}
				if err != nil {
					t.Errorf("record %d: %v", mine, err)
					return
				}
			}
		})
	}
	wg.Wait()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	const after = writers * each * 3 / 4
	got, r, err := replayOf(t, fs, "wal", after)
	if err != nil || r.Last != writers*each || r.Records != writers*each-after {
		t.Errorf("Replay(%d) = %+v, %v, want the rest up to %d", after, r, err, writers*each)
	}
	checkPayloads(t, got, after)
	if names := logNames(t, fs, "wal"); names[0] == (segment{first: 1}).name() {
		t.Errorf("nothing was released: %v", names)
	}
}

// A frame claims as synced only what was, not what is merely appended.
func TestSyncedMark(t *testing.T) {
	g := newGate()
	fs := vfs.NewMem()
	l := startedLog(t, errorfs.Wrap(fs, g), "wal", Options{})
	first := mustAppend(t, l, 1, nil)
	left := make(chan error)
	go func() { left <- first.Wait(context.Background()) }()
	<-g.entered
	mustAppend(t, l, 2, nil) // while the first is being synced
	close(g.open)
	if err := <-left; err != nil {
		t.Fatal(err)
	}
	mustAppend(t, l, 3, nil) // while the second is pending
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	b := readFile(t, fs, "wal/0000000000000001.log")
	for i, want := range []uint64{0, 0, 1} {
		offset := segmentHeaderSize + i*frameHeadSize
		h, ok := parseFrameHead(b[offset:], int64(offset))
		if !ok || h.seq != uint64(i+1) || h.synced != want {
			t.Errorf("frame %d = %+v, %v, want synced %d", i+1, h, ok, want)
		}
	}
}

// A waiter leaves when its context is done; its record is stored all the same.
func TestWaitContext(t *testing.T) {
	g := newGate()
	fs := vfs.NewMem()
	l := startedLog(t, errorfs.Wrap(fs, g), "wal", Options{})
	ctx, cancel := context.WithCancel(context.Background())
	ticket := mustAppend(t, l, 1, payloadOf(1))
	left := make(chan error)
	go func() { left <- ticket.Wait(ctx) }()
	<-g.entered
	cancel()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("Wait with a cancelled context = %v, want context.Canceled", err)
	}
	close(g.open)
	if err := ticket.Wait(context.Background()); err != nil {
		t.Errorf("Wait = %v", err)
	}
	if err := ticket.Wait(ctx); err != nil {
		t.Errorf("Wait for a durable record with a cancelled context = %v, want nil", err)
	}
}

// Append blocks while the disk is too slow, and goes on when it is not.
func TestPendingIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		l := startedLog(t, errorfs.Wrap(vfs.NewMem(), g), "wal", Options{})
		payload := make([]byte, 1<<20)
		var appended atomic.Uint64
		go func() {
			for seq := uint64(1); seq <= 40; seq++ {
				if _, err := l.Append(seq, payload); err != nil {
					t.Errorf("Append(%d): %v", seq, err)
				}
				appended.Store(seq)
			}
		}()
		synctest.Wait()
		// One group of 8 is being synced, another of 8 is pending.
		if got := appended.Load(); got != 16 {
			t.Errorf("%d MiB were appended to a disk that does not answer, want 16", got)
		}
		close(g.open)
		synctest.Wait()
		if got := appended.Load(); got != 40 {
			t.Errorf("%d MiB were appended in the end, want 40", got)
		}
	})
}

// A close while appends are blocked wakes them.
func TestCloseWakesAppend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		l := startedLog(t, errorfs.Wrap(vfs.NewMem(), g), "wal", Options{})
		payload := make([]byte, maxPendingBytes)
		mustAppend(t, l, 1, payload)
		ticket := mustAppend(t, l, 2, payload)
		result := make(chan error, 2)
		go func() { _, err := l.Append(3, payload); result <- err }()
		synctest.Wait()
		go func() { result <- l.Close() }()
		if err := <-result; !errors.Is(err, ErrClosed) {
			t.Errorf("Append during Close = %v, want ErrClosed", err)
		}
		close(g.open)
		if err := <-result; err != nil {
			t.Errorf("Close = %v", err)
		}
		if err := ticket.Wait(context.Background()); err != nil {
			t.Errorf("Wait for a record appended before Close = %v", err)
		}
	})
}

// An append allocates nothing: what there is belongs to the group.
func TestAppendAllocates(t *testing.T) {
	l := startedLog(t, vfs.NewMem(), "wal", Options{})
	payload := make([]byte, 1024)
	var seq uint64
	put := func() {
		seq++
		mustAppend(t, l, seq, payload)
	}
	for range maxPendingBytes / 2 / 1024 {
		put()
	}
	if err := l.Reset(seq + 1); err != nil { // leaves a grown buffer behind
		t.Fatal(err)
	}
	put()
	if err := mustAppend(t, l, seq+1, payload).Wait(context.Background()); err != nil {
		t.Fatal(err)
	}
	seq++
	if n := testing.AllocsPerRun(1000, put); n != 0 {
		t.Errorf("Append makes %v allocations, want 0", n)
	}
}

// The error of the callback comes back as it is, and the log cannot be started.
func TestReplayStops(t *testing.T) {
	fs := vfs.NewMem()
	l := startedLog(t, fs, "wal", Options{})
	mustStore(t, l, 1, nil)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l, err := Open(fs, "wal", Options{})
	if err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stop")
	if _, err := l.Replay(0, func(uint64, []byte) error { return stop }); err != stop {
		t.Errorf("Replay = %v, want the error of the callback", err)
	}
	if err := l.Start(2); err == nil {
		t.Error("Start after a replay that failed would delete what was not replayed")
	}
	if got := logNames(t, fs, "wal"); len(got) != 1 || !strings.HasPrefix(got[0], "0000000000000001") {
		t.Errorf("the log is now %v", got)
	}
}
