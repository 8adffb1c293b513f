package scale

// Format of the files that tasks write: sections, a table of them, a trailer. Each section has
// its own checksum, so that a task verifies only the sections that it reads.
//
//	table    for each section: offset, length (u64), checksum of number, place and bytes (u32), 0 (u32)
//	trailer  offset of the table, number of sections, sum of the table, sum of the plan (u64), magic
//
// The sum of the table identifies the whole file. The record of the task repeats it.

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"
)

const (
	magic        = "simdbsc1"
	tempPattern  = ".*.tmp"
	entryBytes   = 24
	trailerBytes = 40
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// packer and unpacker exist once. Their settings are valid, so the constructors cannot fail.
// Packing is deterministic, which lets a repeated task write the same file.
var (
	packer = sync.OnceValue(func() *zstd.Encoder {
		e, _ := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(1<<20))
		return e
	})
	unpacker = sync.OnceValue(func() *zstd.Decoder {
		d, _ := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0))
		return d
	})
)

// output is a file under construction.
type output struct {
	f     *os.File
	b     *bufio.Writer
	at    uint64
	begun uint64 // offset of the current section
	table []byte
	crc   uint32 // of the current section
	words []byte // scratch
}

// newOutput creates a temporary file in the directory of path.
func newOutput(path string) (*output, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+tempPattern)
	if err != nil {
		return nil, err
	}
	return &output{f: f, b: bufio.NewWriterSize(f, 1<<18)}, nil
}

// Write appends to the current section.
func (o *output) Write(p []byte) (int, error) {
	o.crc = crc32.Update(o.crc, castagnoli, p)
	o.at += uint64(len(p))
	return o.b.Write(p)
}

// end ends the current section and adds it to the table.
func (o *output) end() {
	entry, _ := binary.Append(nil, binary.LittleEndian, []uint64{o.begun, o.at - o.begun})
	sum := sectionSum(len(o.table)/entryBytes, entry, o.crc)
	o.table = append(binary.LittleEndian.AppendUint32(append(o.table, entry...), sum), 0, 0, 0, 0)
	o.begun, o.crc = o.at, 0
}

// frame appends bytes and their checksum to the section, so that a reader can verify one frame
// alone.
func (o *output) frame(p []byte) error {
	_, err := o.Write(binary.LittleEndian.AppendUint32(p, crc32.Checksum(p, castagnoli)))
	return err
}

// section writes bytes as a compressed section.
func (o *output) section(p []byte) error {
	_, err := o.Write(packer().EncodeAll(p, nil))
	o.end()
	return err
}

// sectionWords writes numbers as a compressed section.
func (o *output) sectionWords(list []uint64) error {
	for part := range slices.Chunk(list, 1<<13) {
		o.words, _ = binary.Append(o.words[:0], binary.LittleEndian, part)
		if _, err := o.Write(o.words); err != nil {
			return err
		}
	}
	o.end()
	return nil
}

// sectionSum mixes a checksum of the bytes with the section's number and place, so that exchanged
// sections are detected.
func sectionSum(number int, entry []byte, crc uint32) uint32 {
	var b [24]byte
	binary.LittleEndian.PutUint32(b[:], uint32(number))
	binary.LittleEndian.PutUint32(b[4:], crc)
	copy(b[8:], entry[:16])
	return crc32.Checksum(b[:], castagnoli)
}

// commit renames the file to its final name. It does not sync: the checksums reveal data lost in
// a power failure, and the task then runs again.
func (o *output) commit(path string, plan uint64) (sum uint64, size int64, err error) {
	sum = xxhash.Sum64(o.table)
	trailer, _ := binary.Append(nil, binary.LittleEndian, []uint64{o.at, uint64(len(o.table) / entryBytes), sum, plan})
	trailer = append(trailer, magic...)
	size = int64(o.at) + int64(len(o.table)) + trailerBytes
	if _, err = o.b.Write(append(o.table, trailer...)); err == nil {
		err = o.b.Flush()
	}
	return sum, size, publish(o.f, path, err)
}

// abandon removes the temporary file.
func (o *output) abandon() {
	o.f.Close()
	os.Remove(o.f.Name())
}

// result is a file that a task has written. Each read opens it, unless hold keeps it open,
// because a merge may read more files than a process may open.
type result struct {
	path  string
	of    Broken // template of errors, without Why
	table int64
	n     int
	f     *os.File // between hold and release
}

// broken returns a *Broken for this file.
func (r *result) broken(format string, args ...any) error {
	b := r.of
	b.Why = fmt.Sprintf(format, args...)
	return &b
}

// openResult opens the file that a record describes. It returns a *Broken if the file differs.
func openResult(path string, of Broken, plan, sum uint64, size int64) (*result, error) {
	r := &result{path: path, of: of}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, r.broken("it is missing")
	case err != nil:
		return nil, err
	case info.Size() != size:
		return nil, r.broken("it has %d bytes instead of %d", info.Size(), size)
	}
	var t [trailerBytes]byte
	if err := r.readAt(t[:], size-trailerBytes); err != nil {
		return nil, err
	}
	r.table, r.n = int64(binary.LittleEndian.Uint64(t[:])), int(binary.LittleEndian.Uint64(t[8:]))
	if string(t[32:]) != magic || binary.LittleEndian.Uint64(t[16:]) != sum || binary.LittleEndian.Uint64(t[24:]) != plan ||
		r.table+int64(r.n)*entryBytes+trailerBytes != size {
		return nil, r.broken("it differs from the file in its record")
	}
	return r, nil
}

// hold keeps the file open until release.
func (r *result) hold() (release func(), err error) {
	r.f, err = os.Open(r.path)
	if errors.Is(err, fs.ErrNotExist) {
		err = r.broken("it is missing")
	}
	return func() { r.f.Close(); r.f = nil }, err
}

// readAt reads exactly len(b) bytes; fewer make the file broken.
func (r *result) readAt(b []byte, at int64) error {
	if r.f == nil {
		release, err := r.hold()
		if err != nil {
			return err
		}
		defer release()
	}
	if n, err := r.f.ReadAt(b, at); n < len(b) {
		return r.broken("%d bytes at %d cannot be read: %v", len(b), at, err)
	}
	return nil
}

// place returns the entry of a section in the table.
func (r *result) place(i int) (at, length int64, sum uint32, entry []byte, err error) {
	if i < 0 || i >= r.n {
		return 0, 0, 0, nil, r.broken("it has no section %d", i)
	}
	entry = make([]byte, entryBytes)
	if err := r.readAt(entry, r.table+int64(i)*entryBytes); err != nil {
		return 0, 0, 0, nil, err
	}
	at, length = int64(binary.LittleEndian.Uint64(entry)), int64(binary.LittleEndian.Uint64(entry[8:]))
	if at < 0 || length < 0 || at > r.table || length > r.table-at {
		return 0, 0, 0, nil, r.broken("section %d lies outside of it", i)
	}
	return at, length, binary.LittleEndian.Uint32(entry[16:]), entry, nil
}

// section reads and decompresses a section.
func (r *result) section(i int) ([]byte, error) {
	b, err := r.plain(i)
	if err == nil {
		if b, err = unpacker().DecodeAll(b, nil); err != nil {
			err = r.broken("section %d: %v", i, err)
		}
	}
	return b, err
}

// plain reads and verifies a section as stored.
func (r *result) plain(i int) ([]byte, error) {
	at, length, sum, entry, err := r.place(i)
	if err != nil {
		return nil, err
	}
	b := make([]byte, length)
	if err := r.readAt(b, at); err != nil {
		return nil, err
	}
	if sectionSum(i, entry, crc32.Checksum(b, castagnoli)) != sum {
		return nil, r.broken("section %d has been changed", i)
	}
	return b, nil
}

// words reads a section of numbers.
func (r *result) words(i int) ([]uint64, error) {
	b, err := r.plain(i)
	if err != nil {
		return nil, err
	}
	list := make([]uint64, len(b)/8)
	_, err = binary.Decode(b, binary.LittleEndian, list)
	return list, err
}
