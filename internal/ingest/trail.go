package ingest

// A sum of what has been read so far, so that a resumed import can tell whether
// its input is still the same.

import (
	"encoding/binary"
	"fmt"
	"io/fs"

	"github.com/cespare/xxhash/v2"
)

// trail sums up what the reader has passed. It takes files before the current
// one by name, size and time. It takes entries before the current one of an
// archive by what their headers say. It takes what was read of the current one
// by content. So the sum of what came before does not change if a file grows at
// its end or a later file is added.
type trail struct {
	files, file    uint64 // all before, and the one being read
	entries, entry uint64
	content        *xxhash.Digest
	scratch        []byte
}

func newTrail() trail { return trail{content: xxhash.New()} }

// enterFile begins a file, or anything else that has a path.
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

// stampOf returns a number that changes when a file does, without reading the
// file.
func stampOf(info fs.FileInfo) uint64 {
	return xxhash.Sum64String(fmt.Sprint(info.Mode().Type(), info.Size(), info.ModTime().UnixNano()))
}
