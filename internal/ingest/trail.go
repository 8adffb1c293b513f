package ingest

// A checksum of the input read so far, by which a resumed import verifies that its input has not
// changed.

import (
	"encoding/binary"
	"fmt"
	"io/fs"

	"github.com/cespare/xxhash/v2"
)

// trail is a checksum of the input before the current position. Earlier files count by name, size
// and time, earlier entries of the current archive by their headers, and the current file or entry
// by content. Therefore the checksum remains the same if the current file grows at its end or a
// later file is added.
type trail struct {
	files, file    uint64 // of all earlier files, and of the current one
	entries, entry uint64
	content        *xxhash.Digest
	scratch        []byte
}

// newTrail returns the checksum of no input.
func newTrail() trail { return trail{content: xxhash.New()} }

// enterFile starts a file or another path.
func (t *trail) enterFile(name string, stamp uint64) {
	t.files = t.fold(t.files, t.file)
	t.file = t.fold(xxhash.Sum64String(name), stamp)
	t.entries, t.entry = 0, 0
	t.content.Reset()
}

// enterEntry starts an archive entry.
func (t *trail) enterEntry(name string, size, stamp uint64) {
	t.entries = t.fold(t.entries, t.entry)
	t.entry = t.fold(xxhash.Sum64String(name), size, stamp)
	t.content.Reset()
}

// add adds the content of a unit.
func (t *trail) add(u unit) {
	// The lengths separate raw and reason, so that different splits of the same bytes differ.
	t.scratch = binary.AppendUvarint(t.scratch[:0], uint64(len(u.raw)))
	t.scratch = binary.AppendUvarint(t.scratch, uint64(len(u.reason)))
	t.content.Write(t.scratch)
	t.content.Write(u.raw)
	t.content.WriteString(u.reason)
}

// sum returns the checksum up to here.
func (t *trail) sum() uint64 { return t.fold(t.files, t.entries, t.content.Sum64()) }

// fold hashes numbers.
func (t *trail) fold(numbers ...uint64) uint64 {
	t.scratch = t.scratch[:0]
	for _, n := range numbers {
		t.scratch = binary.LittleEndian.AppendUint64(t.scratch, n)
	}
	return xxhash.Sum64(t.scratch)
}

// stampOf returns a number that changes with the type, size or time of a file, without reading it.
func stampOf(info fs.FileInfo) uint64 {
	return xxhash.Sum64String(fmt.Sprint(info.Mode().Type(), info.Size(), info.ModTime().UnixNano()))
}
