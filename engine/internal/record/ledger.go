package record

// Stored ledger rows, and their form in a log record.

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"math"
	"slices"
	"time"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
)

// fellBy lists the reasons for a displacement. Rows store the index, so append only.
var fellBy = []api.FellBy{api.FellUnless, api.FellUnique, api.FellReplaced, api.FellDedupe}

// TextHash returns the SHA-256 that identifies a content in the ledger. It covers the text or,
// with own tokens, the whole content, because there the text does not determine the shingles.
func (c *Schema) TextHash(content string) ([32]byte, error) {
	if c.OwnTokens() {
		return sha256.Sum256([]byte(content)), nil
	}
	text, err := c.Text(content)
	return sha256.Sum256([]byte(text)), err
}

// EncodeLedgerRow returns the stored form of a row. keeperIn is the number of the keeper's
// collection. The collection and the log record are part of the key.
//
// Layout: time in nanoseconds since 1970, 8 bytes little-endian; hash, 32 bytes; index in fellBy
// as a varint; similarity as float64 bits, 8 bytes; as varints shared, union, ignored, of, unit,
// dist, both parts of the threshold, and keeperIn; then the displaced id, the keeper's id and the
// method, each preceded by its length.
func EncodeLedgerRow(r *api.LedgerRow, keeperIn uint32) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(r.Time.UnixNano()))
	b = append(b, r.Hash[:]...)
	b = binary.AppendUvarint(b, uint64(slices.Index(fellBy, r.By)))
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(r.Keeper.Sim))
	num, den := r.Min.Fraction()
	m := &r.Keeper
	for _, n := range []uint64{m.Shared, m.Union, m.Ignored, m.Of, m.Unit, uint64(m.Dist), num, den, uint64(keeperIn)} {
		b = binary.AppendUvarint(b, n)
	}
	return appendBlob(appendBlob(appendBlob(b, r.ID), m.ID), encodeMethod(r.Method, r.Ignoring))
}

// DecodeLedgerRow is the inverse of EncodeLedgerRow. It leaves the collection names empty.
// ErrCorrupt if the row does not decode.
func DecodeLedgerRow(b []byte) (r api.LedgerRow, keeperIn uint32, err error) {
	d := Decoder{B: b}
	r.Time = time.Unix(0, int64(d.fixed64())).UTC()
	copy(r.Hash[:], d.Bytes(32))
	by := d.Uvarint()
	m := &r.Keeper
	m.Sim = math.Float64frombits(d.fixed64())
	var dist, num, den, in uint64
	for _, n := range []*uint64{&m.Shared, &m.Union, &m.Ignored, &m.Of, &m.Unit, &dist, &num, &den, &in} {
		*n = d.Uvarint()
	}
	m.Dist, r.Min = int(dist), api.Ratio(num, den)
	r.ID, m.ID = string(d.Blob()), string(d.Blob())
	method := d.Blob()
	switch {
	case d.Err != nil:
		return r, 0, fault.Corrupt("row of the ledger: %w", d.Err)
	case by >= uint64(len(fellBy)) || len(d.B) > 0 || num > den || den == 0 || dist > 64 || in > math.MaxUint32:
		return r, 0, fault.Corrupt("row of the ledger: a value is out of range")
	}
	r.By = fellBy[by]
	r.Method, r.Ignoring, err = decodeMethod(method)
	return r, uint32(in), err
}

// storedMethod is the JSON of a measure, its arguments and the ignored shingles; empty fields are
// left out.
type storedMethod struct {
	Measure  api.Measure
	Args     api.Args     `json:",omitzero"`
	Ignoring api.Ignoring `json:",omitzero"`
}

// encodeMethod returns the JSON of a method.
func encodeMethod(m api.Method, x api.Ignoring) []byte {
	b, _ := json.Marshal(storedMethod{m.Measure, m.Args, x}) // cannot fail on strings and numbers
	return b
}

// decodeMethod is the inverse of encodeMethod. ErrCorrupt if the JSON does not parse.
func decodeMethod(b []byte) (m api.Method, x api.Ignoring, err error) {
	var s storedMethod
	if err := json.Unmarshal(b, &s); err != nil {
		return m, x, fault.Corrupt("row of the ledger: %w", err)
	}
	return api.Method{Measure: s.Measure, Args: s.Args}, s.Ignoring, nil
}

// AppendLedgerRow appends an encoded row to the value of an operation.
func AppendLedgerRow(value, row []byte) []byte { return appendBlob(value, row) }

// LedgerRows returns the encoded rows of an operation, which alias value. ErrCorrupt if it is cut
// off.
func LedgerRows(value []byte) (rows [][]byte, err error) {
	d := Decoder{B: value}
	for len(d.B) > 0 && d.Err == nil {
		rows = append(rows, d.Blob())
	}
	if d.Err != nil {
		return nil, fault.Corrupt("rows of the ledger: %w", d.Err)
	}
	return rows, nil
}
