// The batches in which texts are read again.

package engine

import (
	"errors"
	"strings"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/record"
)

// Documents are stored again in batches far below the limit of one, whether it
// is their texts that are long or their metadata.
func TestAgainInParts(t *testing.T) {
	var got, stored int
	a := again{store: func(b *Batch) error {
		size := 0
		for _, o := range b.ops {
			size += len(o.doc.Text) + len(o.doc.Meta["m"].(string))
		}
		if size > againBytes && b.Len() > 1 || b.Len() == 0 {
			t.Errorf("a batch of %d documents with %d bytes", b.Len(), size)
		}
		stored += b.Len()
		return nil
	}}
	for _, n := range [][2]int{{10, 300 << 10}, {300 << 10, 10}, {0, 1000 << 10}, {3 << 20, 0}, {1, 1}} { // bytes of text, of metadata
		for range 5 {
			d := api.Document{ID: "d", Text: strings.Repeat("x", n[0]), Meta: api.Meta{"m": strings.Repeat("y", n[1])}}
			meta, err := record.EncodeMeta(d.Meta)
			if err := errors.Join(err, a.add(d, len(meta))); err != nil {
				t.Fatal(err)
			}
			got++
		}
	}
	for range 2 {
		if err := a.flush(); err != nil || stored != got {
			t.Fatalf("%d of %d documents are stored, %v", stored, got, err)
		}
	}
}
