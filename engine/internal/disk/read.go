package disk

// Reading Pebble: single values, ordered scans, and durable values.

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/internal/keys"
)

// Get returns a copy of the value of a key; nil, nil if the key is absent.
func Get(r pebble.Reader, key []byte) ([]byte, error) {
	v, closer, err := r.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, PebbleError(err)
	}
	out := append(make([]byte, 0, len(v)), v...)
	return out, closer.Close()
}

// PebbleError marks Pebble's corruption errors as ErrCorrupt. For a table file that is too short
// Pebble returns only an end of file.
func PebbleError(err error) error {
	if err == nil || errors.Is(err, api.ErrCorrupt) {
		return err
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fault.Corrupt("a table is shorter than it was: %s", oneLine(err))
	}
	if pebble.IsCorruptionError(err) {
		return fault.Corrupt("%s", oneLine(err))
	}
	return err
}

// oneLine returns the message of a Pebble error in one line, without the detail line of
// corruption errors.
func oneLine(err error) string {
	text := strings.ReplaceAll(err.Error(), "\n<corruption detail carrier>", "")
	return strings.ReplaceAll(text, "\n", "; ")
}

// Scan calls yield with each key and value under a key prefix, in order. Both are valid until
// yield returns. yield may return ErrEnough to stop.
func Scan(r pebble.Reader, prefix []byte, yield func(key, value []byte) error) error {
	return ScanFrom(r, prefix, prefix, yield)
}

// ScanFrom is Scan from the first key ≥ start.
func ScanFrom(r pebble.Reader, prefix, start []byte, yield func(key, value []byte) error) error {
	return ScanTo(r, start, keys.End(prefix), yield)
}

// ErrEnough stops a scan without an error.
var ErrEnough = errors.New("enough")

// Rows returns an iterator over the values that each passes to yield. When the loop ends early,
// yield returns ErrEnough, which each returns or replaces with nil.
func Rows[T any](each func(yield func(T) error) error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		err := each(func(row T) error {
			if !yield(row, nil) {
				return ErrEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, ErrEnough) {
			var none T
			yield(none, err)
		}
	}
}

// ScanTo is Scan for the keys ≥ start and < end. The iterator is closed even if yield panics, as
// the body of a loop over rows may.
func ScanTo(r pebble.Reader, start, end []byte, yield func(key, value []byte) error) (err error) {
	it, err := r.NewIter(&pebble.IterOptions{LowerBound: start, UpperBound: end})
	if err != nil {
		return PebbleError(err)
	}
	ended := false
	defer func() {
		if closed := it.Close(); !ended { // after ErrEnough all values read are valid
			err = errors.Join(PebbleError(err), PebbleError(closed))
		}
	}()
	for ok := it.First(); ok; ok = it.Next() {
		v, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		if err := yield(it.Key(), v); err != nil {
			if ended = err == ErrEnough; ended {
				return nil
			}
			return err
		}
	}
	return nil
}

// EachNumber calls yield with each distinct 32-bit number that follows prefix in a key, in
// ascending order. It seeks past the other keys with the same number.
func EachNumber(r pebble.Reader, prefix []byte, yield func(n uint32) error) (err error) {
	it, err := r.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: keys.End(prefix)})
	if err != nil {
		return PebbleError(err)
	}
	defer func() { err = errors.Join(err, PebbleError(it.Close())) }()
	for ok := it.First(); ok; {
		rest := it.Key()[len(prefix):]
		if len(rest) < 4 {
			return fault.Corrupt("key %x: want a number after %x", it.Key(), prefix)
		}
		n := binary.BigEndian.Uint32(rest)
		if err := yield(n); err != nil || n == math.MaxUint32 {
			return err
		}
		ok = it.SeekGE(binary.BigEndian.AppendUint32(slices.Clip(prefix), n+1))
	}
	return nil
}

// DeleteUnder deletes every key with the prefix.
func DeleteUnder(b *pebble.Batch, prefix []byte) error {
	return b.DeleteRange(prefix, keys.End(prefix), nil)
}

// u64 decodes a big-endian number; 0 if b has another length.
func u64(b []byte) uint64 {
	if len(b) != 8 {
		return 0
	}
	return binary.BigEndian.Uint64(b)
}

// getDurable returns the value that a key would have after a crash now; nil if absent.
func getDurable(p *pebble.DB, key []byte) (value []byte, err error) {
	it, err := p.NewIter(&pebble.IterOptions{
		LowerBound: key, UpperBound: append(slices.Clip(key), 0), OnlyReadGuaranteedDurable: true,
	})
	if err != nil {
		return nil, PebbleError(err)
	}
	if it.First() {
		value = bytes.Clone(it.Value())
	}
	return value, PebbleError(it.Close())
}

// Has reports whether a key has a value.
func Has(r pebble.Reader, key []byte) (bool, error) {
	v, err := Get(r, key)
	return v != nil, err
}
