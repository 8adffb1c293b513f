// Every bit of every file of a small store, one at a time.

package disk_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/internal/torture"
)

// fewBytes are stores of a few documents, by how they were left: closed, and as a crash
// leaves a store whose last documents are only in the log.
func fewBytes(t *testing.T) map[string]*vfs.MemFS {
	t.Helper()
	ctx := context.Background()
	disk := vfs.NewCrashableMem()
	db := enginetest.Open(t, enginetest.Options(disk))
	g := &testmodel.Texts{Rng: rand.New(rand.NewPCG(12, 17)), Prose: true}
	put := func(from, to int) {
		for i := from; i < to; i++ {
			if err := db.Put(ctx, api.Document{ID: fmt.Sprint("d", i), Text: g.Next(), Meta: api.Meta{"n": i}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	put(0, 10) // one posting segment, and a tail
	enginetest.Settled(t, db)
	if err := enginetest.Disk(db).Flush(ctx); err != nil {
		t.Fatal(err)
	}
	put(10, 14)
	crashed := disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 2))})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return map[string]*vfs.MemFS{"closed": disk.CrashClone(vfs.CrashCloneCfg{}), "crashed": crashed}
}

// A bit that flips anywhere is found out by Open, by a query or by check, or documents and
// answers are what they were (durability C1).
func TestFlippedBits(t *testing.T) {
	t.Parallel()
	stores := fewBytes(t)
	wanted := (torture.Tries(t, "C1") + len(stores) - 1) / len(stores)
	tried := 0
	for how, disk := range stores {
		want, err := lookAt(enginetest.Damaged(t, disk, enginetest.LockPath, []byte{}))
		if err != nil || want == "" {
			t.Fatalf("%s: the store is not good to begin with: %v", how, err)
		}
		files := enginetest.FilesOf(t, disk, "db")
		bits := 0
		for _, b := range files {
			bits += 8 * len(b)
		}
		// An odd distance takes another bit of each byte that it meets.
		step := max(1, bits/wanted) | 1
		refused, harmless, at := 0, 0, 0
		for _, path := range slices.Sorted(maps.Keys(files)) {
			b := files[path]
			for ; at < 8*len(b); at += step {
				flipped := slices.Clone(b)
				flipped[at/8] ^= 1 << (at % 8)
				got, err := lookAt(enginetest.Damaged(t, disk, path, flipped))
				switch {
				case err != nil:
					refused++
				case got == want:
					harmless++
				default:
					t.Errorf("%s, %s: bit %d of byte %d of %d: the answers are others, and nothing says why", how, path, at%8, at/8, len(b))
				}
			}
			at -= 8 * len(b)
		}
		t.Logf("%s: %d files of %d bits, every %d flipped: %d found out, %d harmless", how, len(files), bits, step, refused, harmless)
		tried += refused + harmless
	}
	torture.Report(t, "C1", tried)
}
