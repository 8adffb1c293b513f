package columnar

// Validation of the declared number of values in encoded bytes.

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"

	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/format"
)

// bitsOf returns the bit width of values up to most.
func bitsOf(most int) int { return bits.Len(uint(most)) }

var errRuns = errors.New("damaged: its runs have more values than it has")

// runSlack is the allowed excess of values in runs over the page: bit-packed values come in groups of
// eight, and some writers pad the last run.
const runSlack = 1024

// checkRuns rejects runs and packed bits (RLE) of more than n values. The decoder finds other damage.
func checkRuns(b []byte, width int, n int64) error {
	left := uint64(n + runSlack)
	for len(b) > 0 {
		head, size := binary.Uvarint(b)
		if size <= 0 {
			return errRuns
		}
		count, length := head>>1, uint64(width+7)/8
		if count > left {
			return errRuns
		}
		if head&1 == 1 {
			count, length = 8*count, uint64(width)*count
		}
		if count > left {
			return errRuns
		}
		left -= count
		b = b[size:]
		b = b[min(length, uint64(len(b))):]
	}
	return nil
}

// plainDictionary is the name of format.RLEDictionary in data pages of old files.
const plainDictionary format.Encoding = 2

// checkEncoded validates the n values of a page against n and against most unpacked bytes.
func checkEncoded(encoding format.Encoding, b []byte, n, most int64) error {
	switch encoding {
	case format.RLEDictionary, plainDictionary:
		if len(b) > 0 {
			return checkRuns(b[1:], int(b[0]), n)
		}
	case format.RLE:
		if len(b) >= 4 {
			return checkRuns(b[4:], 1, n)
		}
	case format.DeltaBinaryPacked, format.DeltaLengthByteArray:
		return checkDelta(b, n)
	case format.DeltaByteArray:
		return checkPrefixes(b, n, most)
	}
	return nil
}

// deltas is the header of delta-packed integers: integers per block, miniblocks per block, total
// integers.
type deltas struct{ block, small, count uint64 }

var errDeltas = errors.New("damaged: deltas without a head")

// readDeltas reads the header of delta-packed integers in a page of n values, and returns the rest.
func readDeltas(b []byte, n int64) (d deltas, rest []byte, err error) {
	for _, into := range []*uint64{&d.block, &d.small, &d.count} {
		v, size := binary.Uvarint(b)
		if size <= 0 {
			return d, nil, errDeltas
		}
		*into, b = v, b[size:]
	}
	if d.block > 1<<16 || d.small > 1<<12 || d.count > uint64(n) {
		return d, nil, fmt.Errorf("damaged: deltas of %d values in a page of %d", d.count, n)
	}
	_, size := binary.Uvarint(b) // the first integer
	if size <= 0 {
		return d, nil, errDeltas
	}
	return d, b[size:], nil
}

// checkDelta validates a page that consists of delta-packed integers.
func checkDelta(b []byte, n int64) error {
	_, _, err := readDeltas(b, n)
	return err
}

// skipDeltas returns the bytes after delta-packed integers.
func skipDeltas(b []byte, n int64) ([]byte, error) {
	d, b, err := readDeltas(b, n)
	if err != nil || d.count <= 1 {
		return b, err
	}
	if d.small == 0 || d.block < d.small {
		return nil, errDeltas
	}
	each := d.block / d.small
	for left := d.count - 1; left > 0; {
		_, size := binary.Uvarint(b) // least delta of the block
		if size <= 0 || uint64(len(b)-size) < d.small {
			return nil, io.ErrUnexpectedEOF
		}
		widths := b[size:][:d.small]
		b = b[size:][d.small:]
		for _, width := range widths {
			b = b[min(each*uint64(width)/8, uint64(len(b))):]
			if left -= min(each, left); left == 0 {
				break
			}
		}
	}
	return b, nil
}

// checkPrefixes validates prefix-compressed texts. It sums the prefix lengths, which a few bytes can
// make huge, and rejects a page of more than most unpacked bytes. The suffix lengths follow.
func checkPrefixes(b []byte, n, most int64) error {
	lengths, err := skipDeltas(b, n)
	if err != nil {
		return err
	}
	if err := checkDelta(lengths, n); err != nil {
		return err
	}
	prefixes, err := new(delta.BinaryPackedEncoding).DecodeInt32(nil, b)
	if err != nil {
		return err
	}
	total := int64(len(b))
	for _, l := range prefixes {
		if total += int64(l); l < 0 || total > most {
			return fmt.Errorf("its texts have more than %d bytes together, half of --memory", most)
		}
	}
	return nil
}
