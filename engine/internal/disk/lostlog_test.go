// The log of a store that was not closed, spoilt in every way that one file can be: what
// was acknowledged is there, or Open says that it is not.

package disk_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/internal/torture"
)

// spoilt are the bytes of a file with one thing done to them; nil removes it.
func spoilt(b, older []byte, ends []int) map[string][]byte {
	out := map[string][]byte{"removed": nil, "emptied": {}, "zeroed": make([]byte, len(b))}
	if older != nil {
		out["an older copy"] = older
	}
	for _, n := range ends {
		if n < len(b) {
			out[fmt.Sprintf("cut at %d, a record's end", n)] = b[:n]
		}
	}
	for at := 0; at < len(b); at += 1 + len(b)/60 {
		flipped := bytes.Clone(b)
		flipped[at] ^= 1 << (at % 8)
		out[fmt.Sprintf("byte %d flipped", at)] = flipped
		out[fmt.Sprintf("cut at %d", at)] = b[:at]
	}
	return out
}

// No single thing that happens to a file of the log loses acknowledged documents unseen.
// The mark may go: alone it holds none. flushedAt says after how many of the documents the
// store was flushed, so that STATE and Pebble have some of them; 0: never.
func TestNothingLostInTheLogUnseen(t *testing.T) {
	t.Parallel()
	enginetest.WithoutRaces(t)
	const documents = 12
	refused, whole := 0, 0
	for _, flushedAt := range []int{0, 5, documents} {
		disk := vfs.NewCrashableMem()
		db := enginetest.Open(t, enginetest.Options(disk))
		want := map[string]string{}
		ends := map[string][]int{}
		var older map[string][]byte
		for i := range documents {
			id := fmt.Sprint("d", i)
			want[id] = "some words to keep " + id
			if err := db.Put(context.Background(), api.Document{ID: id, Text: want[id]}); err != nil {
				t.Fatal(err)
			}
			if i+1 == flushedAt {
				if err := errors.Join(enginetest.Disk(db).Flush(context.Background()), enginetest.Disk(db).Trim(func() int64 { return int64(i + 1) })); err != nil {
					t.Fatal(err)
				}
			}
			files := enginetest.FilesOf(t, disk, enginetest.LogDir)
			for path, b := range files {
				ends[path] = append(ends[path], len(b))
			}
			if i == documents/2 {
				older = files
			}
		}
		image := disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 2))})
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		for path, b := range enginetest.FilesOf(t, image, enginetest.LogDir) {
			for what, bytes := range spoilt(b, older[path], ends[path]) {
				reopened, err := engine.Open("db", enginetest.Options(enginetest.Damaged(t, image, path, bytes)))
				switch {
				case err == nil:
					whole++
					enginetest.SameDocuments(t, reopened, want)
					reopened.Close()
				case !errors.Is(err, api.ErrCorrupt) || strings.HasSuffix(path, "MARK"):
					t.Errorf("flushed at %d, %s %s: Open = %v", flushedAt, path, what, err)
				default:
					refused++
				}
				if t.Failed() {
					t.Fatalf("flushed at %d, %s %s", flushedAt, path, what)
				}
			}
		}
	}
	t.Logf("%d refused, %d whole", refused, whole)
	torture.Report(t, "C2-log", refused+whole)
	if refused < 100 || whole < 100 {
		t.Errorf("%d refused and %d whole are too few to tell", refused, whole)
	}
}
