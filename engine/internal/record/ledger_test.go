// Rows of a ledger as they are stored.

package record

import (
	"bytes"
	"math"
	"testing"
	"time"

	"github.com/simdb/simdb/api"
)

// ledgerSamples have each argument of a measure that a row can have.
func ledgerSamples() []api.LedgerRow {
	at := time.Unix(1_700_000_000, 123456789).UTC()
	third, _ := api.ParseWeight("1/3")
	rows := []api.LedgerRow{
		{ID: "fell", By: api.FellUnless, Min: api.Ratio(4, 5), Keeper: api.Match{ID: "keeper", Sim: 0.875, Shared: 7, Union: 8, Of: 8}},
		{ID: "\xff", By: api.FellUnique, Min: api.Ratio(1, 1), Keeper: api.Match{ID: "a\x00b", Shared: math.MaxUint64, Union: 1 << 40, Of: 1, Unit: 3, Ignored: 9}},
		{ID: "s", By: api.FellReplaced, Keeper: api.Match{ID: "t", Dist: 64}, Method: api.Method{Measure: api.SimHash}},
		{ID: "tv", By: api.FellDedupe, Keeper: api.Match{ID: "k"}, Ignoring: api.Ignoring{In: "heads", MoreThan: 20},
			Method: api.Method{Measure: api.Tversky, Args: api.Args{Alpha: third, Beta: api.WeightOf(0), K: 4}}},
		{ID: "v", By: api.FellDedupe, Keeper: api.Match{ID: "k"}, Method: api.Method{Measure: api.Versions, Args: api.Args{Bits: -1,
			Versions: api.VersionArgs{KeepCase: true, DropStop: true, Alone: true, Of: api.DocSide, Share: third}}}},
		{ID: "w", By: api.FellDedupe, Keeper: api.Match{ID: "k"}, Method: api.Method{Measure: api.Words, Args: api.Args{IDF: true}}},
		{ID: "e", By: api.FellDedupe, Keeper: api.Match{ID: "k"}, Method: api.Method{Measure: api.Entities, Args: api.Args{TF: true, Bits: 3}}},
	}
	for i := range rows {
		rows[i].Time, rows[i].Hash[i] = at, 1
	}
	return rows
}

func TestLedgerRowsComeBack(t *testing.T) {
	var value []byte
	samples := ledgerSamples()
	for i := range samples {
		value = AppendLedgerRow(value, EncodeLedgerRow(&samples[i], uint32(i)))
	}
	rows, err := LedgerRows(value)
	if err != nil || len(rows) != len(samples) {
		t.Fatalf("%d rows come back as %d, %v", len(samples), len(rows), err)
	}
	for i, b := range rows {
		if got, in, err := DecodeLedgerRow(b); err != nil || got != samples[i] || in != uint32(i) {
			t.Errorf("%+v comes back as %+v in %d, %v", samples[i], got, in, err)
		}
		if _, _, err := DecodeLedgerRow(append(b[:len(b):len(b)], 0)); err == nil {
			t.Errorf("a row with a byte behind it is read")
		}
		if _, _, err := DecodeLedgerRow(b[:len(b)-1]); err == nil {
			t.Errorf("a row that is cut is read")
		}
	}
	_, err = LedgerRows(value[:len(value)-1])
	wantCorrupt(t, err)
}

func FuzzDecodeLedgerRow(f *testing.F) {
	for _, r := range ledgerSamples() {
		f.Add(EncodeLedgerRow(&r, 7))
	}
	f.Add(bytes.Repeat([]byte{0xff}, 100))
	f.Fuzz(func(t *testing.T, b []byte) {
		var r api.LedgerRow
		var in uint32
		var err error
		bounded(t, len(b), 200, 1<<16, func() { r, in, err = DecodeLedgerRow(b) })
		if err != nil {
			wantCorrupt(t, err)
			return
		}
		again := EncodeLedgerRow(&r, in)
		back, backIn, err := DecodeLedgerRow(again)
		if err != nil || backIn != in || !bytes.Equal(EncodeLedgerRow(&back, in), again) {
			t.Fatalf("%x is %+v, which comes back as %+v, %v", b, r, back, err)
		}
	})
}
