package engine

import (
	"bytes"
	"errors"
	"testing"

	"github.com/simdb/simdb/shingle"
)

// What decodes is what was encoded; everything else is ErrCorrupt.
func FuzzDecodeOperations(f *testing.F) {
	c := &collection{number: 3}
	var seed []byte
	for _, o := range []operation{
		{kind: opCreate, c: c, name: "docs", value: []byte("{}")},
		{kind: opPut, c: c, name: "id", meta: []byte(`{"year":1}`), text: []byte("\x00text")},
		{kind: opDelete, c: c, name: "id"},
		{kind: opMark, name: "here", value: []byte("there")},
		{kind: opMark, name: "gone"},
		{kind: opDrop, c: c, name: "docs"},
	} {
		seed = o.encode(seed)
	}
	f.Add(seed)
	f.Fuzz(func(t *testing.T, record []byte) {
		ops, numbers, err := decodeOperations(record)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) {
				t.Fatalf("decodeOperations = %v, want ErrCorrupt", err)
			}
			return
		}
		var again []byte
		for i := range ops {
			ops[i].c = &collection{number: numbers[i]}
			again = ops[i].encode(again)
		}
		back, _, err := decodeOperations(again)
		if err != nil || len(back) != len(ops) {
			t.Fatalf("%d operations come back as %d, %v", len(ops), len(back), err)
		}
		for i := range ops {
			a, b := ops[i], back[i]
			if a.kind != b.kind || a.name != b.name || !bytes.Equal(a.meta, b.meta) || !bytes.Equal(a.text, b.text) || !bytes.Equal(a.value, b.value) {
				t.Fatalf("operation %d comes back as %+v, was %+v", i, b, a)
			}
		}
	})
}

func FuzzDecodeSetRecord(f *testing.F) {
	r, _ := describe(shingle.Bag{Set: shingle.Set{1, 5, 9}, Total: 3})
	f.Add(r.encode())
	f.Fuzz(func(t *testing.T, value []byte) {
		r, err := decodeSetRecord(value)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) {
				t.Fatalf("decodeSetRecord = %v, want ErrCorrupt", err)
			}
			return
		}
		again, err := decodeSetRecord(r.encode())
		if err != nil || !sameFacts(again.Facts, r.Facts) || again.Digest != r.Digest {
			t.Fatalf("%+v comes back as %+v, %v", r, again, err)
		}
	})
}
