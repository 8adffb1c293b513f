package columnar

// Run-length encoded booleans as plain bits, because the library decodes a run of true as one true and
// seven false.

import (
	"encoding/binary"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// plainBooleans replaces the current page of validated data by one of plain booleans.
func (p *pages) plainBooleans(h *format.PageHeader, data []byte) error {
	levels := 0
	if v2 := &h.DataPageHeaderV2.V; h.Type == format.DataPageV2 {
		levels = int(v2.RepetitionLevelsByteLength + v2.DefinitionLevelsByteLength)
		v2.Encoding = format.Plain
	} else {
		for _, most := range []int{p.column.MaxRepetitionLevel(), p.column.MaxDefinitionLevel()} {
			if most > 0 {
				levels += 4 + int(binary.LittleEndian.Uint32(data[levels:]))
			}
		}
		h.DataPageHeader.V.Encoding = format.Plain
	}
	bits, err := bitsOfRuns(data[levels:])
	if err != nil {
		return err
	}
	size := int32(levels + len(bits))
	h.UncompressedPageSize, h.CompressedPageSize = size, size
	head, err := thrift.Marshal(new(thrift.CompactProtocol), h)
	if err != nil {
		return err
	}
	p.out = append(append(head, data[:levels]...), bits...)
	return nil
}

// bitsOfRuns decodes runs of bits, behind their length in bytes, into eight bits a byte.
func bitsOfRuns(b []byte) (bits []byte, err error) {
	if len(b) == 0 {
		return nil, nil // all values are NULL
	}
	if len(b) < 4 || uint64(binary.LittleEndian.Uint32(b)) > uint64(len(b)-4) {
		return nil, errRuns
	}
	b = b[4 : 4+binary.LittleEndian.Uint32(b)]
	n := uint64(0)
	add := func(bit byte) {
		if n%8 == 0 {
			bits = append(bits, 0)
		}
		bits[n/8] |= bit & 1 << (n % 8)
		n++
	}
	for len(b) > 0 {
		head, size := binary.Uvarint(b)
		if b = b[max(size, 0):]; size <= 0 || len(b) == 0 {
			return nil, errRuns
		}
		if head&1 == 0 {
			for range head >> 1 {
				add(b[0])
			}
			b = b[1:]
			continue
		}
		for range min(head>>1, uint64(len(b))) {
			for k := range 8 {
				add(b[0] >> k)
			}
			b = b[1:]
		}
	}
	return bits, nil
}
