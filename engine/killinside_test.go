// Processes that are killed inside of what takes them a while: opening and recovery, an
// update of all documents, the drop of a collection, the renewal of an order, a compaction, a
// backup, Close; up to three times in a row, so that a recovery meets what a
// killed recovery left.

package engine_test

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/internal/torture"
)

// victimInside in the environment of a test binary makes it the process to be killed.
const victimInside = "SIMDB_TEST_VICTIM_INSIDE"

// insides are what the process tells that it begins, in this order.
var insides = []string{"opening", "updating", "dropping", "renewing", "compacting", "backing up", "closing"}

// killedWithin is how many microseconds after it began something such a process is killed at
// the latest. Some of it does not take long.
var killedWithin = map[string]int{"updating": 1500, "dropping": 1500, "renewing": 3000}

// insideBatches is how many batches such a process writes.
const insideBatches = 15

// insideVictim writes some batches and does each of the insides once.
func insideVictim(dir string, w *enginetest.Workload) error {
	ctx := context.Background()
	db, done, err := openVictim(ctx, dir, w)
	if err != nil {
		return err
	}
	err = commitEach(ctx, db, w.Batches[done:min(done+insideBatches, len(w.Batches))], func(*engine.Batch, api.BatchStats) {
		done++
		fmt.Println(done)
	})
	if err != nil {
		return err
	}
	if err := errors.Join(updateInside(ctx, db, done), dropInside(ctx, db)); err != nil {
		return err
	}
	fmt.Println("renewing")
	if err := engine.RenewOrder(ctx, db); err != nil {
		return err
	}
	fmt.Println("compacting")
	if err := db.Compact(ctx); err != nil {
		return err
	}
	if err := os.RemoveAll(dir + ".copy"); err != nil {
		return err
	}
	fmt.Println("backing up")
	if err := db.Checkpoint(ctx, dir+".copy"); err != nil {
		return err
	}
	fmt.Println("closing")
	return db.Close()
}

// updateInside sets a field of all documents, and a note to the same.
func updateInside(ctx context.Context, db *engine.DB, round int) error {
	var b engine.Batch
	s, err := db.Snapshot()
	if err != nil {
		return err
	}
	defer s.Close()
	for id, err := range s.IDs(ctx, api.DefaultCollection, "") {
		if err != nil {
			return err
		}
		b.UpdateMeta(api.DefaultCollection, id, api.Meta{"round": round})
	}
	b.Note("round", []byte(strconv.Itoa(round)))
	fmt.Println("updating")
	_, err = db.Commit(ctx, &b)
	return err
}

// droppedDocuments are in the collection that dropInside makes.
const droppedDocuments = 40

// dropInside makes a collection and drops it.
func dropInside(ctx context.Context, db *engine.DB) error {
	if err := db.DropCollection(ctx, "dropped"); err != nil && !errors.Is(err, api.ErrNoCollection) {
		return err
	}
	if err := db.CreateCollection(ctx, "dropped", testmodel.KeepsAll); err != nil {
		return err
	}
	var docs []api.Document
	for i := range droppedDocuments {
		docs = append(docs, api.Document{Collection: "dropped", ID: fmt.Sprint("d", i), Text: fmt.Sprint("One of some texts that go together, of number ", i, ".")})
	}
	if err := db.Put(ctx, docs...); err != nil {
		return err
	}
	fmt.Println("dropping")
	return db.DropCollection(ctx, "dropped")
}

// checkInside looks whether an update, or a drop, is there as a whole or not at all.
func checkInside(t *testing.T, dir string) {
	t.Helper()
	ctx := context.Background()
	db, err := engine.Open(dir, &engine.Options{MustExist: true})
	if err != nil {
		t.Errorf("open: %v", err)
		return
	}
	defer db.Close()
	note, err := db.Note("round")
	if err != nil {
		t.Fatal(err)
	}
	round, _ := strconv.Atoi(string(note)) // no note is 0
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, c := range s.Collections() {
		if c.Name == "dropped" {
			if c.Documents != 0 && c.Documents != droppedDocuments {
				t.Errorf("of a collection that may be dropped %d documents are there", c.Documents)
			}
			continue
		}
		for d, err := range s.Documents(ctx, c.Name) {
			if err != nil {
				t.Fatal(err)
			}
			got, want := fmt.Sprint(d.Meta["round"]), strconv.Itoa(round)
			// A put since then took the field away. Workloads with conditions do not tell.
			batch, told := d.Meta["batch"]
			n, _ := strconv.Atoi(fmt.Sprint(batch))
			if !told && got == "<nil>" {
				continue
			}
			if told && n >= round {
				want = "<nil>"
			}
			if got != want {
				t.Errorf("%s of batch %v was updated in round %s, want %s of %d", d.ID, batch, got, want, round)
			}
		}
	}
}

// TestKillInside kills such processes. What they acknowledged is there, check finds nothing,
// and a backup that is there is whole (durability D3).
func TestKillInside(t *testing.T) {
	t.Parallel()
	tries := torture.Tries(t, "D3")
	killed := map[string]int{}
	for seed, n := uint64(0), 0; n < tries && !t.Failed(); seed++ {
		rng := rand.New(rand.NewPCG(seed, 23))
		w := victimWorkload(seed)
		dir := filepath.Join(t.TempDir(), "db")
		least := 0
		for n < tries && least < len(w.Batches)-insideBatches && !t.Failed() {
			for range 1 + rng.IntN(3) {
				inside := insides[n%len(insides)]
				acked, inTime := killInside(t, dir, seed, inside, time.Duration(rng.IntN(cmp.Or(killedWithin[inside], 8000)))*time.Microsecond)
				least = max(least, acked)
				if inTime {
					killed[inside]++
				}
				n++
			}
			if _, err := os.Stat(filepath.Join(dir, "STATE")); err != nil {
				continue // killed before there was a store
			}
			checkKilled(t, dir, w, least)
			checkInside(t, dir)
			checkCopy(t, dir+".copy", w)
		}
	}
	t.Logf("killed inside: %v", killed)
	for _, inside := range insides {
		if tries > 40 && killed[inside] == 0 {
			t.Errorf("nothing was killed while it was %s", inside)
		}
	}
	torture.Report(t, "D3", tries)
}

// killInside starts a process and kills it so long after it began something. It returns the
// last batch that was acknowledged, and whether the process was not done by then.
func killInside(t *testing.T, dir string, seed uint64, inside string, after time.Duration) (acked int, inTime bool) {
	t.Helper()
	p := startSelf(t, victimInside+"=1", enginetest.VictimDir+"="+dir, enginetest.VictimSeed+"="+strconv.FormatUint(seed, 10))
	said := make(chan string)
	go func() {
		defer close(said)
		lines := bufio.NewScanner(p.out)
		for lines.Scan() {
			said <- lines.Text()
		}
	}()
	now := ""
	var kill <-chan time.Time
	for open := true; open; {
		var line string
		select {
		case <-kill:
			inTime = now == inside
			p.cmd.Process.Kill() // what it has said before is still read
			kill = nil
		case line, open = <-said:
			if n, err := strconv.Atoi(line); err == nil {
				acked = n
			} else if line != "" {
				now = line
			}
			if line == inside {
				kill = time.After(after)
			}
		}
	}
	p.kill(t)
	return acked, inTime
}

// checkCopy opens a backup, if there is one: it holds what a moment of the workload did.
func checkCopy(t *testing.T, dir string, w *enginetest.Workload) {
	t.Helper()
	db, err := engine.Open(dir, &engine.Options{MustExist: true})
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		t.Errorf("open the backup: %v", err)
		return
	}
	defer db.Close()
	note, err := db.Note("batch")
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(note)))
	if err != nil {
		t.Fatal(err)
	}
	enginetest.SameDocuments(t, db, w.States[n])
	enginetest.CheckClean(t, db, "the backup")
}
