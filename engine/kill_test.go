// Processes that are killed while they write.

package engine_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/internal/torture"
)

func TestMain(m *testing.M) {
	enginetest.Main(m, func(dir string, seed uint64) error {
		switch {
		case os.Getenv(victimFull) != "":
			return fullVictim(dir)
		case os.Getenv(victimReads) != "":
			return besideReader(dir, seed)
		case os.Getenv(victimInside) != "":
			return insideVictim(dir, victimWorkload(seed))
		}
		return victim(dir, victimWorkload(seed))
	})
}

// victimPhase is how many batches the victim writes in one way before it
// takes the other: one by one, or as a stream.
const victimPhase = 25

func victimWorkload(seed uint64) *enginetest.Workload {
	return enginetest.NewWorkload(rand.New(rand.NewPCG(seed, 11)), 24*victimPhase, enginetest.InTurn(seed))
}

// victim goes on with a workload where the store in dir has got to. It prints
// a line before the store is opened, one after, and the number of each batch
// once it is acknowledged.
func victim(dir string, w *enginetest.Workload) error {
	ctx := context.Background()
	db, done, err := openVictim(ctx, dir, w)
	if err != nil {
		return err
	}
	acked := func(*engine.Batch, api.BatchStats) {
		done++
		fmt.Println(done)
	}
	for done < len(w.Batches) {
		phase := done / victimPhase
		part := w.Batches[done : (phase+1)*victimPhase]
		if phase%2 == 0 {
			err = commitEach(ctx, db, part, acked)
		} else {
			err = db.Load(ctx, enginetest.Stream(part), acked)
		}
		if err == nil && phase%4 == 3 {
			err = db.Compact(ctx)
		}
		if err != nil {
			return err
		}
	}
	return db.Close()
}

// openVictim opens the store of a process that is to be killed, and says how many batches
// of the workload are there.
func openVictim(ctx context.Context, dir string, w *enginetest.Workload) (db *engine.DB, done int, err error) {
	fmt.Println("opening")
	db, err = engine.Open(dir, enginetest.WithHooks(&engine.Options{SegmentSets: 8, KeepLog: &api.KeepLog{Age: time.Hour}}, nil, 64<<10))
	if err != nil {
		return nil, 0, err
	}
	fmt.Println("open")
	if err := db.CreateCollection(ctx, api.DefaultCollection, w.Settings); err != nil && !errors.Is(err, api.ErrExists) {
		return nil, 0, err
	}
	note, err := db.Note("batch")
	if err != nil {
		return nil, 0, err
	}
	done, _ = strconv.Atoi(string(note)) // no note is 0
	return db, done, nil
}

func commitEach(ctx context.Context, db *engine.DB, batches []*engine.Batch, acked func(*engine.Batch, api.BatchStats)) error {
	for _, b := range batches {
		stats, err := db.Commit(ctx, b)
		if err != nil {
			return err
		}
		acked(b, stats)
	}
	return nil
}

// TestKill kills a writing process again and again, while it opens, recovers,
// commits, loads, builds and compacts: what it has acknowledged through a pipe
// must be there, what is there must be a prefix of its batches, and check must
// find nothing (durability D2). The page cache outlives a process, so this
// tells nothing of syncs; TestCrashImages does.
func TestKill(t *testing.T) {
	t.Parallel()
	tries := torture.Tries(t, "D2")
	want := tries
	most := min(15, (want+2)/3) // of one store, so that there are three
	for seed := uint64(0); want > 0 && !t.Failed(); seed++ {
		want -= killRounds(t, seed, min(want, most))
	}
	torture.Report(t, "D2", tries)
}

// killRounds kills the writers of one store, so many one after the other, or
// until one comes to the end of the workload. It returns how many it started.
func killRounds(t *testing.T, seed uint64, most int) int {
	rng := rand.New(rand.NewPCG(seed, 13))
	w := victimWorkload(seed)
	dir := filepath.Join(t.TempDir(), "db")
	least := 0
	for n := range most {
		acked, killed := runVictim(t, dir, seed, rng.IntN(70))
		least = max(least, acked)
		t.Logf("seed %d, process %d: acknowledged up to batch %d, killed: %v", seed, n+1, least, killed)
		// A look at a copy leaves the recovery to the next process, which may
		// be killed in it.
		look := dir
		if n%2 == 0 && killed {
			look = filepath.Join(t.TempDir(), "copy")
			if err := os.CopyFS(look, os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
		}
		checkKilled(t, look, w, least)
		if t.Failed() || !killed {
			return n + 1
		}
	}
	return most
}

// runVictim starts a process that writes, kills it after so many lines, and
// returns the last batch it acknowledged.
func runVictim(t *testing.T, dir string, seed uint64, lines int) (acked int, killed bool) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), enginetest.VictimDir+"="+dir, enginetest.VictimSeed+"="+strconv.FormatUint(seed, 10))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill() // should the test give up before
	r := bufio.NewReader(stdout)
	for i := 0; ; i++ {
		if i == lines {
			killed = cmd.Process.Kill() == nil
		}
		line, err := r.ReadString('\n')
		if err == io.EOF { // half a line is a number cut short
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if n, err := strconv.Atoi(line[:len(line)-1]); err == nil {
			acked = n
		}
	}
	err = cmd.Wait()
	if stderr.Len() > 0 || err != nil && !killed {
		t.Fatalf("the writing process ended by itself: %v\n%s", err, &stderr)
	}
	return acked, err != nil // without an error the signal came too late
}

// checkKilled opens what a killed process left.
func checkKilled(t *testing.T, dir string, w *enginetest.Workload, least int) {
	t.Helper()
	begin := time.Now()
	db, err := engine.Open(dir, &engine.Options{SegmentSets: 8})
	if err != nil {
		t.Errorf("open after %d acknowledged batches: %v", least, err)
		return
	}
	t.Logf("opened in %v", time.Since(begin).Round(time.Millisecond))
	defer func() {
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}()
	note, err := db.Note("batch")
	if err != nil {
		t.Fatal(err)
	}
	n, _ := strconv.Atoi(string(note))
	if n < least {
		t.Errorf("%d batches were acknowledged, %d are there", least, n)
	}
	if n > 0 { // before the first batch there is no collection
		enginetest.SameDocuments(t, db, w.States[n])
		sameHistory(t, dir, w.States[n])
		enginetest.CheckClean(t, db, fmt.Sprintf("after %d batches", n))
		enginetest.SameAnswers(t, db, w, n)
	}
}

// sameHistory makes the documents from nothing but what tail tells.
func sameHistory(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	got := map[string]string{}
	for c, err := range engine.Tail(context.Background(), dir, api.TailOptions{Oldest: true}) {
		if err != nil {
			t.Errorf("tail: %v", err)
			return
		}
		if c.Collection != api.DefaultCollection {
			continue
		}
		switch c.Kind {
		case api.ChangePut:
			got[c.ID] = c.Text
		case api.ChangeDelete:
			delete(got, c.ID)
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("the history makes %d documents, there are %d", len(got), len(want))
	}
}
