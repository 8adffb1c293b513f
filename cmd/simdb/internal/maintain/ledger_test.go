package maintain

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
)

// A row that somebody has forged, with its checksum, is named.
func TestVerifyNamesForgedRows(t *testing.T) {
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "db")
	db, err := simdb.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.CreateCollection(ctx, "docs", api.Settings{Ledger: true}); err != nil {
		t.Fatal(err)
	}
	const text = "one two three four five six"
	for _, id := range []string{"a", "b", "c"} {
		if _, _, err := db.PutUnlessSimilar(ctx, api.Document{ID: id, Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	forge(t, filepath.Join(dir, "store"))
	fell := filepath.Join(t.TempDir(), "fell.txt")
	if err := os.WriteFile(fell, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if db, err = simdb.Open(dir, nil); err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var out strings.Builder
	var cmd cobra.Command
	cmd.SetOut(&out)
	err = verifyLedger(ctx, db, nil, []string{fell}, &cmd, "table")
	const want = `wrong: b in docs fell to a by jaccard, 3 of 4; the texts have 4 of 4
2 rows: 1 right, 1 wrong, 0 whose texts are gone, 0 whose keeper changed
`
	if out.String() != want || exit.CodeOf(err) != exit.Incomplete {
		t.Errorf("%v\n%s\nwant\n%s", err, out.String(), want)
	}
}

type quiet struct{}

func (quiet) Infof(string, ...any)  {}
func (quiet) Errorf(string, ...any) {}
func (quiet) Fatalf(string, ...any) {}

// forge changes the overlap in the first row of a ledger.
func forge(t *testing.T, store string) {
	t.Helper()
	const space, shared = 0x14, 8 + 32 + 1 + 8
	p, err := pebble.Open(store, &pebble.Options{Logger: quiet{}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	it, err := p.NewIter(&pebble.IterOptions{LowerBound: []byte{space}, UpperBound: []byte{space + 1}})
	if err != nil {
		t.Fatal(err)
	}
	if !it.First() {
		t.Fatal("there is no row")
	}
	key, sealed := append([]byte{}, it.Key()...), append([]byte{}, it.Value()...)
	if err := it.Close(); err != nil {
		t.Fatal(err)
	}
	row := sealed[:len(sealed)-4]
	if row[shared] != 4 {
		t.Fatalf("the row %x does not have 4 shared shingles where it should", row)
	}
	row[shared] = 3
	castagnoli := crc32.MakeTable(crc32.Castagnoli)
	sum := crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, row)
	if err := errors.Join(p.Set(key, binary.LittleEndian.AppendUint32(row, sum), pebble.NoSync), p.Flush()); err != nil {
		t.Fatal(err)
	}
}
