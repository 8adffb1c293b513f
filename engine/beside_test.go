// Readers beside one that writes.

package engine_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/internal/torture"
)

// A victim with victimReads in its environment opens the store for reading again and again.
const victimReads = "SIMDB_TEST_VICTIM_READS"

// readBeside opens a store for reading and compares it with the state of a workload that it
// shows: documents, all that is derived of them, and now and then the answers.
func readBeside(t *testing.T, o engine.Options, dir string, w *enginetest.Workload) (n int) {
	t.Helper()
	o.ReadOnly = true
	db, err := engine.Open(dir, &o)
	if err != nil {
		t.Errorf("open to read: %v", err)
		return 0
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}()
	note, err := db.Note("batch")
	if err != nil {
		t.Error(err)
	}
	if n, _ = strconv.Atoi(string(note)); n > 0 {
		enginetest.SameDocuments(t, db, w.States[n])
		if got := db.Metrics().Documents; got != int64(len(w.States[n])) {
			t.Errorf("batch %d: %d documents are counted, %d are there", n, got, len(w.States[n]))
		}
		enginetest.CheckClean(t, db, fmt.Sprintf("beside the writer at batch %d", n))
		if n%8 == 0 {
			enginetest.SameAnswers(t, db, w, n)
		}
	}
	return n
}

// While one writes, builds, merges, compacts and flushes, others open the store for
// reading: each shows a batch that was there, no older than what was acknowledged before.
func TestReadersBesideAWriter(t *testing.T) {
	t.Parallel()
	if !enginetest.ReadsBeside {
		t.Skip("on Windows a reader excludes a writer")
	}
	for _, disk := range []struct {
		name string
		fs   vfs.FS
	}{{"memory", vfs.NewMem()}, {"files", vfs.Default}} {
		t.Run(disk.name, func(t *testing.T) {
			w := victimWorkload(3)
			o := *enginetest.WithHooks(&engine.Options{SegmentSets: 8}, disk.fs, 64<<10)
			dir := filepath.Join(t.TempDir(), "db")
			db, err := engine.Open(dir, &o)
			if err != nil {
				t.Fatal(err)
			}
			if err := db.CreateCollection(context.Background(), api.DefaultCollection, w.Settings); err != nil {
				t.Fatal(err)
			}
			var acked atomic.Int64
			var opened atomic.Int64
			done := make(chan struct{})
			var wg sync.WaitGroup
			for range 2 {
				wg.Go(func() {
					for last := 0; ; opened.Add(1) {
						least := int(acked.Load())
						n := readBeside(t, o, dir, w)
						if n < max(least, last) || n > len(w.Batches) {
							t.Errorf("batch %d is there, %d was acknowledged before, and %d read", n, least, last)
						}
						last = n
						select {
						case <-done:
							return
						default:
						}
						if t.Failed() {
							return
						}
					}
				})
			}
			batches := w.Batches[:len(w.Batches)/torture.Few(5, 1)]
			for i, b := range batches {
				if t.Failed() {
					break
				}
				if _, err := db.Commit(context.Background(), b); err != nil {
					t.Error(err)
					break
				}
				acked.Add(1)
				switch {
				case i%40 == 39:
					err = db.Compact(context.Background())
				case i%60 == 59: // a writer that comes anew
					if err = db.Close(); err == nil {
						db, err = engine.Open(dir, &o)
					}
				}
				if err != nil {
					t.Error(err)
					break
				}
			}
			close(done)
			wg.Wait()
			if err := db.Close(); err != nil {
				t.Error(err)
			}
			t.Logf("opened %d times beside %d batches", opened.Load(), len(w.Batches))
		})
	}
}

// A reader goes on with what it opened, whatever a writer does: it deletes all documents,
// compacts, closes and comes again. The directory has no file then that the reader reads.
func TestReaderKeepsItsState(t *testing.T) {
	if !enginetest.ReadsBeside {
		t.Skip("on Windows a reader excludes a writer")
	}
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "db")
	o := enginetest.WithHooks(&engine.Options{SegmentSets: 64}, nil, 64<<10)
	db, err := engine.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	enginetest.FillTexts(t, db, 1000)
	enginetest.Settled(t, db)
	enginetest.FillTexts(t, db, 1100) // which the log has, in part
	r, err := engine.Open(dir, &engine.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	q := engine.Search{Min: api.Ratio(1, 2)}
	pairs := func(db *engine.DB) []string {
		s, err := db.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		return enginetest.PairRows(t, s, q)
	}
	want := pairs(db)
	if len(want) == 0 {
		t.Fatal("no pairs")
	}
	if err := db.DropCollection(ctx, api.DefaultCollection); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Compact(ctx), db.Close()); err != nil {
		t.Fatal(err)
	}
	if db, err = engine.Open(dir, o); err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if got := pairs(r); !slices.Equal(got, want) {
		t.Errorf("the reader sees other pairs now:\n%s", testmodel.Difference(got, want))
	}
	enginetest.CheckClean(t, r, "beside a writer that has dropped all")
	if n := r.Metrics().Documents; n == 0 || db.Metrics().Documents != 0 {
		t.Errorf("the reader has %d documents, the writer %d", n, db.Metrics().Documents)
	}
	if segments, err := os.ReadDir(filepath.Join(dir, "postings")); err != nil || len(segments) > 0 {
		t.Errorf("%d segments are left, %v", len(segments), err)
	}
}

// besideReader is the process that reads: for each line of its input it prints how many
// batches are there. It waits for the store to be made.
func besideReader(dir string, seed uint64) error {
	w := victimWorkload(seed)
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		n, err := besideRead(dir, w)
		for errors.Is(err, fs.ErrNotExist) && !errors.Is(err, api.ErrCorrupt) {
			time.Sleep(time.Millisecond)
			n, err = besideRead(dir, w)
		}
		if err != nil {
			return err
		}
		fmt.Println(n)
	}
	return nil
}

func besideRead(dir string, w *enginetest.Workload) (n int, err error) {
	ctx := context.Background()
	db, err := engine.Open(dir, enginetest.WithHooks(&engine.Options{ReadOnly: true, SegmentSets: 8}, nil, 64<<10))
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	note, err := db.Note("batch")
	if err != nil {
		return 0, err
	}
	n, _ = strconv.Atoi(string(note))
	if n == 0 {
		return 0, nil
	}
	s, err := db.Snapshot()
	if err != nil {
		return n, err
	}
	defer s.Close()
	seen := 0
	for d, err := range s.Documents(ctx, api.DefaultCollection) {
		if err != nil {
			return n, err
		}
		if want, ok := w.States[n][d.ID]; !ok || want != d.Text {
			return n, fmt.Errorf("batch %d: document %s is %q, want %q", n, d.ID, d.Text, want)
		}
		seen++
	}
	if counted := db.Metrics().Documents; seen != len(w.States[n]) || counted != int64(seen) {
		return n, fmt.Errorf("batch %d: %d documents, %d counted, want %d", n, seen, counted, len(w.States[n]))
	}
	report, err := db.Check(ctx, nil)
	if err != nil || report.Found > 0 {
		return n, fmt.Errorf("batch %d: check found %v, %w", n, report, err)
	}
	return n, nil
}

// One process writes and three read, and all of them are killed at random and come again.
// What a reader shows is a state that was there, and nothing older than what was
// acknowledged when it began to look. No reader keeps the writer from opening, and none
// leaves a file.
func TestKillBeside(t *testing.T) {
	t.Parallel()
	if !enginetest.ReadsBeside {
		t.Skip("on Windows a reader excludes a writer")
	}
	const seed = 5
	w := victimWorkload(seed)
	rng := rand.New(rand.NewPCG(seed, 17))
	dir := filepath.Join(t.TempDir(), "db")
	var acked, looks, killed atomic.Int64
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for r := range 3 {
		rng := rand.New(rand.NewPCG(seed, uint64(r)))
		wg.Go(func() {
			for !t.Failed() {
				select {
				case <-stop:
					return
				default:
				}
				p := startSelf(t, victimReads+"=1", enginetest.VictimDir+"="+dir, enginetest.VictimSeed+"="+strconv.Itoa(seed))
				for range 1 + rng.IntN(20) {
					least := acked.Load()
					fmt.Fprintln(p.in, "look")
					line, err := p.out.ReadString('\n')
					if err != nil {
						break
					}
					n, err := strconv.ParseInt(strings.TrimSuffix(line, "\n"), 10, 64)
					if err != nil || n < least || n > int64(len(w.Batches)) {
						t.Errorf("a reader shows %q, after %d batches were acknowledged", line, least)
					}
					looks.Add(1)
				}
				fmt.Fprintln(p.in, "look") // and is killed in it
				time.Sleep(time.Duration(rng.IntN(5)) * time.Millisecond)
				p.kill(t)
				killed.Add(1)
			}
		})
	}
	tries := torture.Tries(t, "D2-beside")
	for n := range tries {
		p := startSelf(t, enginetest.VictimDir+"="+dir, enginetest.VictimSeed+"="+strconv.Itoa(seed))
		for left := 10 + rng.IntN(60); left > 0; left-- {
			line, err := p.out.ReadString('\n')
			if err != nil {
				break
			}
			if n, err := strconv.ParseInt(strings.TrimSuffix(line, "\n"), 10, 64); err == nil {
				acked.Store(n)
			}
		}
		p.kill(t)
		if t.Failed() || acked.Load() == int64(len(w.Batches)) {
			t.Logf("%d writers", n+1)
			break
		}
	}
	close(stop)
	wg.Wait()
	t.Logf("%d batches acknowledged, %d looks, %d readers killed", acked.Load(), looks.Load(), killed.Load())
	if looks.Load() == 0 {
		t.Error("no reader has read anything")
	}
	torture.Report(t, "D2-beside", tries)
	checkKilled(t, dir, w, int(acked.Load()))
	names, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		switch n.Name() {
		case "LOCK", "STATE", "RESERVE", "log", "history", "store", "postings":
		default:
			t.Errorf("%s was left", n.Name())
		}
	}
}

// self is this test binary as another process.
type self struct {
	cmd    *exec.Cmd
	in     io.Writer
	out    *bufio.Reader
	stderr bytes.Buffer
}

func startSelf(t *testing.T, env ...string) *self {
	exe, err := os.Executable()
	if err != nil {
		t.Error(err)
	}
	p := &self{cmd: exec.Command(exe)}
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Stderr = &p.stderr
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		p.in, err = p.cmd.StdinPipe()
	}
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		t.Error(err)
	}
	p.out = bufio.NewReader(out)
	return p
}

// kill ends the process, which must have said nothing of errors.
func (p *self) kill(t *testing.T) {
	p.cmd.Process.Kill()
	p.cmd.Wait()
	if p.stderr.Len() > 0 {
		t.Errorf("a process said: %s", &p.stderr)
	}
}
