package columnar

// The pages of a column, unpacked one at a time. The library reads a virtual file with uncompressed
// pages, with declared sizes and counts within limits.

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// maxPageValues limits the values of a page, which take memory even if all are NULL. Typical pages have
// ten thousand values.
const maxPageValues = 16 << 20

// maxHeaderBytes limits the header of a page, which may contain a least and a greatest value.
const maxHeaderBytes = 16 << 20

// pages reads the pages of a column chunk. It implements io.ReaderAt on the unpacked pages, for
// sequential reads only.
type pages struct {
	f       *file
	column  *parquet.Column
	codec   format.CompressionCodec
	at, end int64 // offsets in the file
	left    int64 // remaining values
	served  int64 // bytes returned
	out     []byte
	packed  []byte
	read    []byte // buffer for headers
}

// pagesOf returns the pages of a column in a row group.
func (f *file) pagesOf(group int, column *parquet.Column) (*pages, error) {
	m := &f.meta.RowGroups[group].Columns[column.Index()].MetaData
	p := &pages{f: f, column: column, codec: m.Codec, at: m.DataPageOffset, left: m.NumValues, served: magicBytes}
	if d := m.DictionaryPageOffset; d > 0 && d < p.at {
		p.at = d
	}
	p.end = p.at + m.TotalCompressedSize
	if p.at < magicBytes || m.TotalCompressedSize < 0 || p.end > f.size || p.end < p.at || p.left < 0 {
		return nil, fmt.Errorf("damaged: %d bytes at %d of a file of %d", m.TotalCompressedSize, p.at, f.size)
	}
	if p.codec != format.Uncompressed && decompressors[p.codec] == nil {
		return nil, fmt.Errorf("the compression %s is not read", p.codec)
	}
	return p, nil
}

func (p *pages) ReadAt(b []byte, at int64) (int, error) {
	if at != p.served {
		return 0, errors.New("pages are read in their order")
	}
	if len(p.out) == 0 {
		place := p.at
		if err := p.next(); err == io.EOF {
			return 0, io.EOF
		} else if err != nil {
			return 0, fmt.Errorf("page at byte %d: %w", place, err)
		}
	}
	n := copy(b, p.out)
	if p.out = p.out[n:]; len(p.out) == 0 {
		p.out = nil // fully returned to the library
	}
	p.served += int64(n)
	return n, nil
}

// header reads the header of the next page.
func (p *pages) header() (h format.PageHeader, err error) {
	for size := int64(512); ; size *= 8 {
		size = min(size, p.end-p.at)
		if int64(cap(p.read)) < size {
			p.read = make([]byte, size)
		}
		p.read = p.read[:size]
		if _, err := p.f.in.ReadAt(p.read, p.at); err != nil && err != io.EOF {
			return h, err
		}
		n, _, err := walkThrift(p.read)
		if err == io.ErrUnexpectedEOF && size < min(p.end-p.at, maxHeaderBytes) {
			continue
		}
		if err == nil {
			err = decodeThrift(p.read[:n], &h)
		}
		if err != nil {
			return h, fmt.Errorf("its header is damaged: %w", err)
		}
		p.at += int64(n)
		return h, p.check(&h)
	}
}

// check rejects impossible or excessive sizes and counts.
func (p *pages) check(h *format.PageHeader) error {
	packed, size := int64(h.CompressedPageSize), int64(h.UncompressedPageSize)
	switch {
	case packed < 0 || packed > p.end-p.at || size < 0:
		return fmt.Errorf("damaged: it says that it has %d bytes, of %d there", packed, p.end-p.at)
	case max(packed, size) > p.f.most:
		return fmt.Errorf("it has %d bytes, over half of --memory; raise --memory to %d or more", max(packed, size), 2*max(packed, size))
	case p.codec == format.Uncompressed && packed != size:
		return fmt.Errorf("damaged: %d bytes, %d unpacked, and no compression", packed, size)
	}
	n := int64(values(h))
	if n < 0 || n > maxPageValues {
		return fmt.Errorf("it says that it has %d values, over the limit of %d", n, maxPageValues)
	}
	if h.Type != format.DictionaryPage {
		if p.left -= n; p.left < 0 {
			return errors.New("damaged: it has more values than its column")
		}
	}
	return nil
}

// values returns the declared number of values of a page.
func values(h *format.PageHeader) int32 {
	switch h.Type {
	case format.DataPage:
		return h.DataPageHeader.V.NumValues
	case format.DataPageV2:
		return h.DataPageHeaderV2.V.NumValues
	case format.DictionaryPage:
		return h.DictionaryPageHeader.V.NumValues
	}
	return 0
}

// next unpacks a page into out.
func (p *pages) next() error {
	for {
		if p.left == 0 || p.at >= p.end {
			return io.EOF
		}
		h, err := p.header()
		if err != nil {
			return err
		}
		if int64(cap(p.packed)) < int64(h.CompressedPageSize) {
			p.packed = make([]byte, h.CompressedPageSize)
		}
		p.packed = p.packed[:h.CompressedPageSize]
		if _, err := p.f.in.ReadAt(p.packed, p.at); err != nil {
			return fmt.Errorf("cannot read its %d bytes: %w", h.CompressedPageSize, err)
		}
		p.at += int64(h.CompressedPageSize)
		if h.Type == format.IndexPage {
			continue
		}
		return p.unpack(&h)
	}
}

// unpack decompresses the current page and validates its counts.
func (p *pages) unpack(h *format.PageHeader) error {
	levels := 0 // bytes of levels, which are never compressed
	codec := p.codec
	if v2 := &h.DataPageHeaderV2.V; h.Type == format.DataPageV2 {
		r, d := v2.RepetitionLevelsByteLength, v2.DefinitionLevelsByteLength
		if r < 0 || d < 0 || int64(r)+int64(d) > min(int64(len(p.packed)), int64(h.UncompressedPageSize)) {
			return errors.New("damaged: its levels are longer than itself")
		}
		levels = int(r + d)
		if v2.IsCompressed.Valid && !v2.IsCompressed.V {
			codec = format.Uncompressed
		}
	}
	size := h.UncompressedPageSize
	h.CompressedPageSize, h.CRC = size, 0
	h.DataPageHeaderV2.V.IsCompressed = thrift.Null[bool]{V: false, Valid: h.Type == format.DataPageV2}
	head, err := thrift.Marshal(new(thrift.CompactProtocol), h)
	if err != nil {
		return err
	}
	out := append(make([]byte, 0, len(head)+int(size)), head...)[:len(head)+int(size)]
	data := out[len(head):]
	copy(data, p.packed[:levels])
	if codec == format.Uncompressed {
		if len(p.packed) != len(data) {
			return fmt.Errorf("damaged: %d bytes of %d", len(p.packed), len(data))
		}
		copy(data, p.packed)
	} else if len(data) > levels {
		if err := decompressors[codec](data[levels:], p.packed[levels:]); err != nil {
			return fmt.Errorf("it does not unpack to %d bytes: %w", len(data)-levels, err)
		}
	}
	if err := p.checkCounts(h, data); err != nil {
		return err
	}
	p.out = out
	if p.column.Type().Kind() == parquet.Boolean && encodingOf(h) == format.RLE && h.Type != format.DictionaryPage {
		return p.plainBooleans(h, data)
	}
	return nil
}

// checkCounts validates run-length encoded data: a run of a few bytes may declare any number of values,
// for which the library would allocate memory.
func (p *pages) checkCounts(h *format.PageHeader, data []byte) error {
	n, rep, def := int64(values(h)), p.column.MaxRepetitionLevel(), p.column.MaxDefinitionLevel()
	var encoding format.Encoding
	switch h.Type {
	case format.DataPage:
		encoding = h.DataPageHeader.V.Encoding
		for _, most := range []int{rep, def} {
			if most == 0 {
				continue
			}
			if len(data) < 4 || uint64(binary.LittleEndian.Uint32(data)) > uint64(len(data)-4) {
				return errors.New("damaged: its levels are longer than itself")
			}
			size := binary.LittleEndian.Uint32(data)
			if err := checkRuns(data[4:4+size], bitsOf(most), n); err != nil {
				return err
			}
			data = data[4+size:]
		}
	case format.DataPageV2:
		v2 := &h.DataPageHeaderV2.V
		encoding = v2.Encoding
		for i, size := range []int32{v2.RepetitionLevelsByteLength, v2.DefinitionLevelsByteLength} {
			if most := []int{rep, def}[i]; most > 0 {
				if err := checkRuns(data[:size], bitsOf(most), n); err != nil {
					return err
				}
			}
			data = data[size:]
		}
	default:
		return nil // dictionaries have plain encoding
	}
	return checkEncoded(encoding, data, n, p.f.most)
}

// encodingOf returns the encoding of the values of a page.
func encodingOf(h *format.PageHeader) format.Encoding {
	if h.Type == format.DataPageV2 {
		return h.DataPageHeaderV2.V.Encoding
	}
	return h.DataPageHeader.V.Encoding
}

// pageCopies is the number of copies of a page in memory: packed, unpacked and decoded.
const pageCopies = 3

// valueBytes returns the memory of the library per value beyond the bytes of its page: levels, and the
// index into the dictionary or the texts, or the decoded value of deltas of width 0.
func (p *pages) valueBytes(h *format.PageHeader) int64 {
	n := int64(min(p.column.MaxRepetitionLevel(), 1) + min(p.column.MaxDefinitionLevel(), 1))
	switch encodingOf(h) {
	case format.DeltaBinaryPacked, format.DeltaLengthByteArray, format.DeltaByteArray:
		return n + 12
	}
	return n + 4
}

// needs estimates the memory of a row group in bytes: the largest page of each column. It reads the
// headers of all pages.
func (f *file) needs(group int) (needs int64) {
	defer func() { recover() }() // panics of the library over damage, which reading reports
	for _, leaf := range f.leaves {
		p, err := f.pagesOf(group, leaf)
		if err != nil {
			continue // reading the group reports the error
		}
		page, dictionary := int64(0), int64(0)
		for p.left > 0 && p.at < p.end {
			h, err := p.header()
			if err != nil {
				break
			}
			p.at += int64(h.CompressedPageSize)
			switch size, beside := int64(h.UncompressedPageSize), int64(values(&h))*p.valueBytes(&h); h.Type {
			case format.DictionaryPage:
				dictionary = size + beside
			default:
				page = max(page, pageCopies*size+beside)
			}
		}
		needs += page + dictionary
	}
	return needs
}

// mostNeeds returns the memory limit of a row group in bytes: a page may take half of --memory.
func (f *file) mostNeeds() int64 { return pageCopies * f.most }
