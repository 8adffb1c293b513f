// Processes that are killed inside of what takes them a while: opening and recovery, a
// compaction, a backup, Close; up to three times in a row, so that a recovery meets what a
// killed recovery left.

package engine

import (
	"bufio"
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

	"github.com/simdb/simdb/internal/torture"
)

// victimInside in the environment of a test binary makes it the process to be killed.
const victimInside = "SIMDB_TEST_VICTIM_INSIDE"

// insides are what the process tells that it begins, in this order.
var insides = []string{"opening", "compacting", "backing up", "closing"}

// insideBatches is how many batches such a process writes.
const insideBatches = 15

// insideVictim writes some batches and does each of the insides once.
func insideVictim(dir string, w *workload) error {
	ctx := context.Background()
	db, done, err := openVictim(ctx, dir, w)
	if err != nil {
		return err
	}
	err = commitEach(ctx, db, w.batches[done:min(done+insideBatches, len(w.batches))], func(*Batch, BatchStats) {
		done++
		fmt.Println(done)
	})
	if err != nil {
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
		for n < tries && least < len(w.batches)-insideBatches && !t.Failed() {
			for range 1 + rng.IntN(3) {
				inside := insides[n%len(insides)]
				acked, inTime := killInside(t, dir, seed, inside, time.Duration(rng.IntN(8000))*time.Microsecond)
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
	p := startSelf(t, victimInside+"=1", victimDir+"="+dir, victimSeed+"="+strconv.FormatUint(seed, 10))
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
func checkCopy(t *testing.T, dir string, w *workload) {
	t.Helper()
	db, err := Open(dir, &Options{MustExist: true})
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
	sameDocuments(t, db, w.states[n])
	checkClean(t, db, "the backup")
}
