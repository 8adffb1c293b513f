package segment

// The file of a posting segment: format, writing, opening (docs/decisions/0022).

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/durable"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/host"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/index"
)

// A posting segment is an immutable file, so that pages are addressed by offset and read without
// going through Pebble:
//
//	the pages of its runs, each followed by its CRC-32C, u32
//	zeros up to a multiple of 8
//	the facts of its sets in pieces (index/piece.go), which end at multiples of 1,024 and with
//	           the segment, each followed by its CRC-32C, u32
//	the sizes of its sets (ibid.), divided like the pieces, each part followed by its CRC-32C, u32
//	directory: the segment's entry in the manifest: number, first set, set after the last,
//	           number of sets; then for each run its kind u8, the length of its encoding and the
//	           encoding, the number of stretches of its pages, for each stretch the number of its first
//	           page and the offset, and the length of each page; then 255 and the length of each
//	           piece of facts; numbers other than kinds are varints
//	CRC-32C u32 of the directory and of the bytes after this sum: the length of the directory u64,
//	           "simdbps", the version as a digit
//
// Numbers are little-endian. Opening the store deletes segments that no manifest names.
const (
	segmentMagic   = "simdbps" + segmentVersion
	segmentVersion = "4"
	segmentSuffix  = ".seg"
	checksumBytes  = 4
	factsKind      = 255 // in the place of a run's kind
	segmentTrailer = checksumBytes + 8 + len(segmentMagic)
	syncBytes      = 4 << 20 // bound of unsynced bytes: one large sync would delay the syncs of the log
)

// Writer writes the file of a new segment: Emit for each page, then WriteFacts, Finish, Close.
// Not safe for concurrent use.
type Writer struct {
	store   *disk.Store
	number  uint32
	file    vfs.File
	w       *bufio.Writer
	kind    index.Kind // of the last page
	runs    [index.Kinds]writtenRun
	facts   []int  // lengths of pieces
	written uint64 // bytes
}

// writtenRun records the offsets of the pages of a run.
type writtenRun struct {
	stretches []stretch
	pages     int
	lengths   []byte // of pages, encoded as in the directory to save memory: a segment of millions of texts has millions of pages
}

// stretch is a sequence of adjacent pages of a run: the first page and its offset.
type stretch struct {
	page int
	from uint64
}

// Emit appends a page; it is an index.Emit.
func (w *Writer) Emit(k index.Kind, _ int, page []byte) error {
	if err := w.store.Poisoned(); err != nil {
		return err
	}
	r := &w.runs[k]
	if r.pages == 0 || k != w.kind {
		r.stretches = append(r.stretches, stretch{r.pages, w.written})
	}
	r.pages++
	r.lengths, w.kind = binary.AppendUvarint(r.lengths, uint64(len(page))), k
	return w.write(page)
}

// write appends b and its checksum.
func (w *Writer) write(b []byte) error {
	w.written += uint64(len(b) + checksumBytes)
	w.w.Write(b)
	_, err := w.w.Write(le.AppendUint32(nil, crc32.Checksum(b, durable.Castagnoli))) // also returns earlier errors
	return err
}

// Finish writes the directory and syncs the file. Dir.Sync then makes its name durable.
func (w *Writer) Finish(s *index.Segment) error {
	var b []byte
	for _, x := range []uint32{w.number, s.Lo, s.Hi, s.Sets} {
		b = binary.AppendUvarint(b, uint64(x))
	}
	for k, run := range s.Runs {
		if run == nil {
			continue
		}
		encoded, pages := run.Encode(), &w.runs[k]
		b = append(binary.AppendUvarint(append(b, byte(k)), uint64(len(encoded))), encoded...)
		b = binary.AppendUvarint(b, uint64(len(pages.stretches)))
		for _, x := range pages.stretches {
			b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(x.page)), x.from)
		}
		b = append(b, pages.lengths...)
	}
	b = append(b, factsKind)
	for _, n := range w.facts {
		b = binary.AppendUvarint(b, uint64(n))
	}
	behind := append(le.AppendUint64(nil, uint64(len(b))), segmentMagic...)
	b = append(le.AppendUint32(b, trailerSum(b, behind)), behind...)
	if err := w.store.Poisoned(); err != nil {
		return err
	}
	w.w.Write(b)
	return errors.Join(w.w.Flush(), w.file.Sync())
}

// Close closes the file, finished or not.
func (w *Writer) Close() error { return w.file.Close() }

// segmentFile is a segment's file, open for reading. Safe for concurrent use until close.
type segmentFile struct {
	file   vfs.File
	size   int64
	mapped []byte // the mapped file; nil without a mapping
	is     Span
	runs   [index.Kinds]*index.Run
	pages  [index.Kinds]pagePlaces
	facts  places // of pieces
	sizes  uint64 // offset of the sizes

	warned atomic.Bool // about damaged facts

	closing sync.Once
}

// places holds the offsets of adjacent pages or pieces.
type places struct {
	begin uint64
	ends  []uint32 // low halves of the end offsets, including checksums; halves save memory per page
	rises []int    // indexes at which the high half increases by one
}

// add appends an end offset.
func (p *places) add(end uint64) {
	for high := p.end() >> 32; high < end>>32; high++ {
		p.rises = append(p.rises, len(p.ends))
	}
	p.ends = append(p.ends, uint32(end))
}

// endOf returns the end of item n, including its checksum.
func (p *places) endOf(n int) uint64 {
	return p.begin>>32<<32 + uint64(sort.SearchInts(p.rises, n+1))<<32 + uint64(p.ends[n])
}

// pagePlaces holds the offsets of the pages of a run.
type pagePlaces struct {
	places
	stretches []stretch       // after the first
	seen      []atomic.Uint32 // one bit per page with a verified checksum
}

// decode reads the offsets of n pages, which must lie below end.
func (p *pagePlaces) decode(d *record.Decoder, n int, end uint64) error {
	stretches := make([]stretch, 0, 1)
	for left := d.Uvarint(); left > 0 && d.Err == nil; left-- {
		x := stretch{int(min(d.Uvarint(), uint64(n))), d.Uvarint()}
		if i := len(stretches); i == 0 && x.page > 0 || i > 0 && x.page <= stretches[i-1].page || x.page >= n {
			return fault.Corrupt("stretch at page %d of %d", x.page, n)
		}
		stretches = append(stretches, x)
	}
	if d.Err != nil || (n > 0) != (len(stretches) > 0) {
		return fault.Corrupt("%d stretches of %d pages", len(stretches), n)
	}
	p.seen = make([]atomic.Uint32, (n+31)/32)
	p.ends = make([]uint32, 0, n)
	for i, x := range stretches {
		behind := n
		if i+1 < len(stretches) {
			behind = stretches[i+1].page
		}
		if x.from > end || x.from < p.end() {
			return fault.Corrupt("pages at %d", x.from)
		}
		if i == 0 {
			p.begin = x.from
		}
		if err := p.places.decode(d, behind-x.page, x.from, end); err != nil {
			return err
		}
	}
	if len(stretches) > 1 {
		p.stretches = stretches[1:]
	}
	return nil
}

// bounds returns the bounds of page n, including its checksum.
func (p *pagePlaces) bounds(n int) (from, to uint64) {
	if i, found := slices.BinarySearchFunc(p.stretches, n, func(s stretch, n int) int { return s.page - n }); found {
		return p.stretches[i].from, p.endOf(n)
	}
	return p.places.bounds(n)
}

// decode appends n items from their lengths. They begin at begin and must lie below end.
func (p *places) decode(d *record.Decoder, n int, begin, end uint64) error {
	for i := range n {
		n := d.Uvarint()
		if d.Err != nil || end-begin < checksumBytes || n > end-begin-checksumBytes {
			return fault.Corrupt("length %d", i)
		}
		begin += n + checksumBytes
		p.add(begin)
	}
	return nil
}

// end returns the end of the last item.
func (p *places) end() uint64 {
	if len(p.ends) == 0 {
		return p.begin
	}
	return p.endOf(len(p.ends) - 1)
}

// bounds returns the bounds of item n, including its checksum.
func (p *places) bounds(n int) (from, to uint64) {
	from = p.begin
	if n > 0 {
		from = p.endOf(n - 1)
	}
	return from, p.endOf(n)
}

// openSegmentFile opens a segment's file, verifies its directory and maps it.
func openSegmentFile(fs vfs.FS, path string) (_ *segmentFile, err error) {
	file, err := fs.Open(path)
	if err != nil {
		return nil, err
	}
	f := &segmentFile{file: file}
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: %w", path, errors.Join(err, f.close()))
		}
	}()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	f.size = info.Size()
	if err := f.readDirectory(uint64(f.size)); err != nil {
		return nil, err
	}
	f.mapped = host.Map(file.Fd(), f.size)
	return f, nil
}

// trailerSum returns the checksum of the directory and the bytes after the sum. It covers the
// version, so that damage there does not pass for a later version.
func trailerSum(directory, behind []byte) uint32 {
	return crc32.Update(crc32.Checksum(directory, durable.Castagnoli), durable.Castagnoli, behind)
}

// readDirectory reads and verifies the directory of a file of size bytes.
func (f *segmentFile) readDirectory(size uint64) error {
	end := make([]byte, segmentTrailer)
	if size < uint64(len(end)) {
		return fault.Corrupt("%d bytes", size)
	}
	if _, err := f.file.ReadAt(end, int64(size)-int64(len(end))); err != nil {
		return err
	}
	room := size - uint64(len(end))
	n := le.Uint64(end[checksumBytes:])
	magic := string(end[checksumBytes+8:])
	if magic[:len(magic)-1] != segmentMagic[:len(magic)-1] || n > room {
		return fault.Corrupt("it does not end like a posting segment")
	}
	b := make([]byte, n)
	if _, err := f.file.ReadAt(b, int64(size)-int64(len(end))-int64(n)); err != nil {
		return err
	}
	if trailerSum(b, end[checksumBytes:]) != le.Uint32(end) {
		return fault.Corrupt("directory: checksum does not match")
	}
	if made := magic[len(magic)-1:]; made > segmentVersion {
		return fault.TooNew("a posting segment", "", uint64(made[0]-'0'), uint64(segmentVersion[0]-'0'))
	} else if made != segmentVersion {
		return fault.Corrupt("a posting segment of version %q", made)
	}
	return f.decodeDirectory(b, room-n)
}

// decodeDirectory decodes the directory. Pages and facts must fill the file up to end.
func (f *segmentFile) decodeDirectory(b []byte, end uint64) error {
	d := record.Decoder{B: b}
	f.is = Span{uint32(d.Uvarint()), uint32(d.Uvarint()), uint32(d.Uvarint()), uint32(d.Uvarint())}
	begin := uint64(0) // end of the pages
	for len(d.B) > 0 && d.B[0] != factsKind {
		k := index.Kind(d.Bytes(1)[0])
		encoded := d.Blob()
		if d.Err != nil || k >= index.Kinds || f.runs[k] != nil {
			return fault.Corrupt("directory: run %d", k)
		}
		run, err := index.DecodeRun(encoded)
		if err != nil {
			return fault.Corrupt("directory of run %d: %w", k, err)
		}
		p := &f.pages[k]
		if err := p.decode(&d, len(run.First), end); err != nil {
			return fault.Corrupt("directory of run %d: %w", k, err)
		}
		begin = max(begin, p.end())
		f.runs[k] = run
	}
	d.Bytes(1)
	n := PieceCount(f.is.Lo, f.is.Hi)
	if d.Err != nil || n > uint64(len(d.B)) {
		return fault.Corrupt("directory of facts: %d bytes for %d pieces", len(d.B), n)
	}
	f.facts.begin = aligned(begin)
	if err := f.facts.decode(&d, int(n), f.facts.begin, end); err != nil {
		return fault.Corrupt("directory of facts: %w", err)
	}
	f.sizes = f.facts.end()
	if sizesEnd := f.sizes + sizesBytes(f.is.Lo, f.is.Hi); sizesEnd != end || len(d.B) > 0 {
		return fault.Corrupt("directory: the facts end at %d, want %d", sizesEnd, end)
	}
	return nil
}

// read reads page n of a run into buf, or a longer buffer, and verifies its checksum.
func (f *segmentFile) read(k index.Kind, n int, buf []byte) ([]byte, error) {
	from, to := f.pages[k].bounds(n)
	buf = slices.Grow(buf[:0], int(to-from))[:to-from]
	if err := f.readAt(buf, from); err != nil {
		return nil, fmt.Errorf("page %d of run %d: %w", n, k, err)
	}
	return verifyPage(k, n, buf)
}

// readAt fills buf from an offset; the end of the file is ErrCorrupt.
func (f *segmentFile) readAt(buf []byte, from uint64) error {
	_, err := f.file.ReadAt(buf, int64(from))
	if err == io.EOF {
		return fault.Corrupt("the file ends early")
	}
	return err
}

// verifyPage verifies the checksum of page n of run k and returns the page without it.
func verifyPage(k index.Kind, n int, b []byte) ([]byte, error) {
	page := b[: len(b)-checksumBytes : len(b)-checksumBytes]
	if crc32.Checksum(page, durable.Castagnoli) != le.Uint32(b[len(page):]) {
		return nil, fault.Corrupt("page %d of run %d: checksum does not match", n, k)
	}
	return page, nil
}

// close unmaps and closes the file, once. No page may be used afterwards.
func (f *segmentFile) close() (err error) {
	f.closing.Do(func() { err = errors.Join(host.Unmap(f.mapped), f.file.Close()) })
	return err
}

var le = binary.LittleEndian
