package wal

// This test crashes a log at every operation and expects every acknowledged
// record afterwards.

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// unsyncedPercents are the shares of unsynced blocks and directory entries
// that the crash images keep.
var unsyncedPercents = []int{0, 5, 20, 40, 50, 60, 80, 95, 100}

// image is a file system as a crash at one moment may leave it.
type image struct {
	fs      *vfs.MemFS
	at      string
	acked   uint64 // records up to this one were acknowledged
	applied uint64 // records up to this one are durable elsewhere
}

// model is the caller of a log: it knows what each record should be, what was
// acknowledged and what it has stored elsewhere. It takes an image before each
// operation that changes the file system.
type model struct {
	t        *testing.T
	seed     uint64
	rng      *rand.Rand // of the script
	images   *rand.Rand // of the images
	mem      *vfs.MemFS
	fs       vfs.FS
	log      *Log
	payloads [][]byte // of records 1 and on; shared with images, never changed in place
	acked    atomic.Uint64
	applied  atomic.Uint64
	ops      int
	percents func(op int) []int
	taken    []image
}

func newModel(t *testing.T, seed uint64, mem *vfs.MemFS, percents func(op int) []int) *model {
	m := &model{
		t: t, seed: seed, mem: mem, percents: percents,
		rng:    rand.New(rand.NewPCG(seed, 1)),
		images: rand.New(rand.NewPCG(seed, 2)),
	}
	m.fs = errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind.ReadOrWrite() == errorfs.OpIsWrite {
			m.snap(fmt.Sprintf("seed %d, before operation %d, kind %d on %s", seed, m.ops, op.Kind, op.Path))
		}
		return nil
	}))
	return m
}

// snap takes images. It runs in the goroutine of the caller or of the flusher,
// for which the caller then waits.
func (m *model) snap(at string) {
	for _, percent := range m.percents(m.ops) {
		// Read before the image is taken: only an earlier acknowledgement counts.
		acked, applied := m.acked.Load(), m.applied.Load()
		fs := m.mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: m.images})
		m.taken = append(m.taken, image{fs, fmt.Sprintf("%s, %d%% of the unsynced", at, percent), acked, applied})
	}
	m.ops++
}

func (m *model) must(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatalf("seed %d: %v", m.seed, err)
	}
}

// recover opens the log of an image and makes what it holds durable elsewhere.
func (m *model) recover(after uint64) {
	l, err := Open(m.fs, "dir/wal", Options{SegmentBytes: 20_000})
	m.must(err)
	m.log = l
	r, err := l.Replay(after, func(seq uint64, payload []byte) error { return nil })
	m.must(err)
	last := max(r.Last, after)
	m.payloads = m.payloads[:last:last]
	m.acked.Store(last)
	m.applied.Store(last)
	m.must(l.Start(last + 1))
}

// script appends, waits, releases and resets at random.
func (m *model) script(steps int) {
	for range steps {
		switch n := m.rng.IntN(20); {
		case n < 16:
			var ticket Ticket
			for range 1 + m.rng.IntN(6) {
				seq := uint64(len(m.payloads)) + 1
				payload := bytes.Repeat(fmt.Appendf(nil, "%d of run %d;", seq, m.seed), m.rng.IntN(700))
				m.payloads = append(m.payloads, payload)
				ticket = mustAppend(m.t, m.log, seq, payload)
			}
			if n < 12 {
				m.must(ticket.Wait(context.Background()))
				m.acked.Store(uint64(len(m.payloads)))
			}
		case n < 18:
			from, to := m.applied.Load(), m.acked.Load()
			m.applied.Store(max(from, from+m.rng.Uint64N(max(to, from)-from+1)))
			m.must(m.log.Release(m.applied.Load()))
		case n < 19:
			m.applied.Store(uint64(len(m.payloads)))
			m.must(m.log.Reset(uint64(len(m.payloads)) + 1))
			m.acked.Store(uint64(len(m.payloads)))
		default:
			m.must(m.log.Close())
			m.acked.Store(uint64(len(m.payloads)))
			m.recover(m.applied.Load())
		}
	}
	m.must(m.log.Close())
}

// check replays the log of an image: nothing acknowledged is missing, what is
// there is a prefix of what was appended, and every payload is right.
func (m *model) check(img image) (last uint64) {
	m.t.Helper()
	got, r, err := replayOf(m.t, img.fs, "dir/wal", img.applied)
	if err != nil {
		m.t.Errorf("%s: Replay(%d) = %+v, %v", img.at, img.applied, r, err)
		return 0
	}
	last = max(r.Last, img.applied)
	switch {
	case last < img.acked:
		m.t.Errorf("%s: record %d is the last, %d was acknowledged", img.at, last, img.acked)
	case last > uint64(len(m.payloads)):
		m.t.Errorf("%s: record %d is the last, %d was appended", img.at, last, len(m.payloads))
	case uint64(len(got)) != last-img.applied:
		m.t.Errorf("%s: %d records come back, want %d to %d", img.at, len(got), img.applied+1, last)
	}
	for i, payload := range got {
		if seq := img.applied + uint64(i); seq < uint64(len(m.payloads)) && !bytes.Equal(payload, m.payloads[seq]) {
			m.t.Errorf("%s: payload of record %d is wrong", img.at, seq+1)
		}
	}
	return last
}

// After a crash at any operation, with any share of the unsynced data, all
// that was acknowledged is there, and a crash in recovery changes nothing. The
// seeds fix the scripts; which unsynced directory entries an image keeps also
// depends on the order of a map in the file system.
func TestCrash(t *testing.T) {
	points, again, torn := 0, 0, 0
	for seed := range uint64(6) {
		mem := vfs.NewCrashableMem()
		m := newModel(t, seed, mem, func(op int) []int {
			return []int{0, unsyncedPercents[op%len(unsyncedPercents)], 100}
		})
		m.must(mem.MkdirAll("dir", 0o755))
		root, err := mem.OpenDir("/")
		m.must(err)
		m.must(root.Sync())
		m.must(root.Close())
		m.recover(0)
		m.script(40)
		for i, img := range m.taken {
			points++
			last := m.check(img)
			if last < uint64(len(m.payloads)) && last > img.acked {
				torn++
			}
			if i%17 != 0 || t.Failed() {
				continue
			}
			// Recover, go on with other records, and crash in that.
			n := newModel(t, seed*1_000_000+uint64(i), img.fs, func(op int) []int {
				return []int{0, unsyncedPercents[(op+i)%len(unsyncedPercents)]}
			})
			n.payloads = m.payloads
			n.acked.Store(img.acked)
			n.applied.Store(img.applied)
			n.recover(img.applied)
			n.script(4)
			for _, img := range n.taken {
				again++
				n.check(img)
			}
		}
		if t.Failed() {
			break
		}
	}
	t.Logf("%d crash images, %d of them with records beyond the acknowledged; %d images of a second crash", points, torn, again)
}
