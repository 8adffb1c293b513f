package ingest

// What has been read so far, as one number, so that an import that goes on can
// tell whether its input is still the one it began with.

import (
	"encoding/binary"
	"fmt"
	"io/fs"

	"github.com/cespare/xxhash/v2"
)

// trail sums up what the reader has passed: the files before the one it is in
// by name, size and time; the entries before the one it is in, of an archive,
// by what their headers say; and what it has read of that by content. So
// neither a file that grows at its end nor one that comes later changes the sum
// of what came before.
type trail struct {
	files, file    uint64 // all before, and the one being read
	entries, entry uint64
	content        *xxhash.Digest
	scratch        []byte
}

func newTrail() trail { return trail{content: xxhash.New()} }

// enterFile begins a file, or whatever else has a path.
func (t *trail) enterFile(name string, stamp uint64) {
	t.files = t.fold(t.files, t.file)
	t.file = t.fold(xxhash.Sum64String(name), stamp)
	t.entries, t.entry = 0, 0
	t.content.Reset()
}

// enterEntry begins a file in an archive.
func (t *trail) enterEntry(name string, size, stamp uint64) {
	t.entries = t.fold(t.entries, t.entry)
	t.entry = t.fold(xxhash.Sum64String(name), size, stamp)
	t.content.Reset()
}

func (t *trail) add(u unit) {
	t.scratch = binary.AppendUvarint(t.scratch[:0], uint64(len(u.raw)))
	t.scratch = binary.AppendUvarint(t.scratch, uint64(len(u.reason)))
	t.content.Write(t.scratch)
	t.content.Write(u.raw)
	t.content.WriteString(u.reason)
}

func (t *trail) sum() uint64 { return t.fold(t.files, t.entries, t.content.Sum64()) }

func (t *trail) fold(numbers ...uint64) uint64 {
	t.scratch = t.scratch[:0]
	for _, n := range numbers {
		t.scratch = binary.LittleEndian.AppendUint64(t.scratch, n)
	}
	return xxhash.Sum64(t.scratch)
}

// stampOf is what tells that a file has changed without reading it.
func stampOf(info fs.FileInfo) uint64 {
	return xxhash.Sum64String(fmt.Sprint(info.Mode().Type(), info.Size(), info.ModTime().UnixNano()))
}
