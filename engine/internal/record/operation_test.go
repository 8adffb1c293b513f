// Operations as the log has them.

package record

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/simdb/simdb/api"
)

// What decodes is what was encoded; everything else is ErrCorrupt.
func FuzzDecodeOperations(f *testing.F) {
	var seed []byte
	for _, o := range []Operation{
		{Kind: OpCreate, Number: 3, Name: "docs", Value: []byte("{}")},
		{Kind: OpPut, Number: 3, Name: "id", Meta: []byte(`{"year":1}`), Text: []byte("\x00text")},
		{Kind: OpDelete, Number: 3, Name: "id"},
		{Kind: OpNote, Name: "here", Value: []byte("there")},
		{Kind: OpNote, Name: "gone"},
		{Kind: OpNote, Name: "empty", Value: []byte{}},
		{Kind: OpLedger, Number: 3, Value: AppendLedgerRow(nil, []byte("row"))},
		{Kind: OpDrop, Number: 3, Name: "docs"},
	} {
		seed = o.Encode(seed)
	}
	f.Add(Stamp(seed, time.Unix(1, 2)))
	f.Fuzz(func(t *testing.T, record []byte) {
		at, ops, err := DecodeOperations(record)
		if err != nil {
			if !errors.Is(err, api.ErrCorrupt) {
				t.Fatalf("decodeOperations = %v, want ErrCorrupt", err)
			}
			return
		}
		var again []byte
		for i := range ops {
			again = ops[i].Encode(again)
		}
		then, back, err := DecodeOperations(Stamp(again, at))
		if err != nil || len(back) != len(ops) || !then.Equal(at) {
			t.Fatalf("%d operations come back as %d, %v", len(ops), len(back), err)
		}
		for i := range ops {
			a, b := ops[i], back[i]
			if a.Kind != b.Kind || a.Number != b.Number || a.Name != b.Name || !bytes.Equal(a.Meta, b.Meta) || !bytes.Equal(a.Text, b.Text) || !bytes.Equal(a.Value, b.Value) || (a.Value == nil) != (b.Value == nil) {
				t.Fatalf("operation %d comes back as %+v, was %+v", i, b, a)
			}
		}
	})
}
