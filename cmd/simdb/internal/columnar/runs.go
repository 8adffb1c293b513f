package columnar

// How many values encoded bytes say that they are.

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"

	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/format"
)

func bitsOf(most int) int { return bits.Len(uint(most)) }

var errRuns = errors.New("damaged: its runs have more values than it has")

// runSlack is how many values more than a page has its runs may have: packed bits come by
// eight, and some writers fill their last run.
const runSlack = 1024

// checkRuns refuses runs and packed bits (RLE) of more than n values. Other damage is found
// as they are decoded.
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

// plainDictionary is what old files call format.RLEDictionary in pages of data.
const plainDictionary format.Encoding = 2

// checkEncoded looks at the values of a page.
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

// deltas are the head of delta-packed integers: how many are in a block, how many small
// blocks it has, how many integers there are.
type deltas struct{ block, small, count uint64 }

var errDeltas = errors.New("damaged: deltas without a head")

// readDeltas reads the head before integers of a page of n values, and returns what is behind.
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

func checkDelta(b []byte, n int64) error {
	_, _, err := readDeltas(b, n)
	return err
}

// skipDeltas returns what is behind delta-packed integers.
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
		_, size := binary.Uvarint(b) // the least delta of the block
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

// checkPrefixes adds up what the texts of a page take from the one before each. Behind these
// lengths are those of what each text adds.
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
