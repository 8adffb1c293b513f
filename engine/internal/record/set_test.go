// Records of sets.

package record

import (
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/sketch"
)

// Sizes that memory has no room for, and signatures of another length than
// the set's, are no set record.
func TestSetRecordIsChecked(t *testing.T) {
	encoded := func(distinct, total uint64, words int) []byte {
		r := Set{Facts: index.Facts{Size: measure.Size{Distinct: distinct, Total: total}, Signature: make(sketch.Signature, words)}}
		return r.Encode()
	}
	for _, c := range []struct {
		distinct, total uint64
		words           int
		good            bool
	}{
		{1, 1, 1, true}, {33, 40, 2, true}, {1 << 31, math.MaxUint32, 128, true},
		{1, 1, 2, false}, {33, 40, 1, false}, {33, 40, 0, false}, {33, 40, 256, false},
		{1, 1 << 32, 1, false}, {1 << 32, 1 << 32, 128, false}, {math.MaxUint64, math.MaxUint64, 128, false}, {1<<32 + 1, 1<<32 + 1, 1, false},
	} {
		r, err := DecodeSet(encoded(c.distinct, c.total, c.words))
		if c.good && (err != nil || r.Distinct != c.distinct || len(r.Signature) != c.words) {
			t.Errorf("record of %d distinct, %d in all, %d words = %+v, %v", c.distinct, c.total, c.words, r, err)
		}
		if !c.good && !errors.Is(err, api.ErrCorrupt) {
			t.Errorf("record of %d distinct, %d in all, %d words: %v, want ErrCorrupt", c.distinct, c.total, c.words, err)
		}
	}
}

func FuzzDecodeSet(f *testing.F) {
	r := Describe(shingle.Bag{Set: shingle.Set{1, 5, 9}, Total: 3})
	f.Add(r.Encode())
	f.Fuzz(func(t *testing.T, value []byte) {
		r, err := DecodeSet(value)
		if err != nil {
			if !errors.Is(err, api.ErrCorrupt) {
				t.Fatalf("DecodeSet = %v, want ErrCorrupt", err)
			}
			return
		}
		again, err := DecodeSet(r.Encode())
		if err != nil || !reflect.DeepEqual(again, r) {
			t.Fatalf("%+v comes back as %+v, %v", r, again, err)
		}
	})
}
