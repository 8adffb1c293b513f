package load

// Ids of the files that an import has read, so that no file silently replaces another one with the
// same id. The ids are stored as notes in the batches of the documents, because a resumed import
// must know the files of its first part. In memory each file takes about 40 bytes, for a hash of its
// id.

import (
	"encoding/json"
	"fmt"
	"hash/maphash"
	"sync"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/ingest"
)

// importFiles is the set of files that an import has read, by id.
type importFiles struct {
	db    *simdb.DB
	begin string // name prefix of its notes
	seed  maphash.Seed
	seen  map[uint64]uint32 // hash of an id → number of the note that lists it; a collision uses the next free hash

	notes uint32     // number of notes written so far
	now   []readFile // for the next note

	mu      sync.Mutex
	waiting []waitingFiles // notes that the store may not have yet
}

// readFile is the id of a file and its place.
type readFile struct {
	ID     []byte `json:"id"` // need not be UTF-8
	Source string `json:"source"`
}

// noNote replaces the note number of a batch without files.
const noNote = ^uint32(0)

// waitingFiles are the files of a batch that may not be durable yet.
type waitingFiles struct {
	note  uint32
	files []readFile
}

// readBefore returns the place of the file that this import has read before under the same id, or ""
// if there is none. It records new files. It ignores documents whose ids may repeat.
func (r *importRun) readBefore(d ingest.Doc) (string, error) {
	if d.Line > 0 || r.o.LastWins || r.o.ID == "sha256" { // records of a file, any document with LastWins, and equal texts under their sha256
		return "", nil
	}
	return r.files.add(d.ID, d.Source)
}

// sameID returns the reject reason of a file whose id the file at the path first already has.
func sameID(first string) string {
	return fmt.Sprintf("has the id of %s, which this import has read before; make ids differ by --prefix, --strip or --id, or use --last-wins", first)
}

// add adds a file to the set. If the set has a file with the same id, add returns its place
// instead.
func (s *importFiles) add(id, source string) (first string, err error) {
	if s.seen == nil {
		s.seen, s.seed = map[uint64]uint32{}, maphash.MakeSeed()
	}
	hash := maphash.String(s.seed, id)
	for {
		note, there := s.seen[hash]
		if !there {
			s.seen[hash] = s.notes
			s.now = append(s.now, readFile{[]byte(id), source})
			return "", nil
		}
		files, err := s.filesOf(note)
		if err != nil {
			return "", err
		}
		for _, f := range files {
			if string(f.ID) == id {
				return f.Source, nil
			}
		}
		hash++ // a collision: another id has this hash
	}
}

// filesOf returns the files of a note, which may still be unwritten.
func (s *importFiles) filesOf(note uint32) ([]readFile, error) {
	if note == s.notes {
		return s.now, nil
	}
	s.mu.Lock()
	for _, w := range s.waiting {
		if w.note == note {
			s.mu.Unlock()
			return w.files, nil
		}
	}
	s.mu.Unlock()
	return s.load(note)
}

// load reads the files of a note from the store; nil if there is no such note.
func (s *importFiles) load(note uint32) (files []readFile, err error) {
	value, err := s.db.Note(s.name(note))
	if err != nil || value == nil {
		return nil, err
	}
	if err := json.Unmarshal(value, &files); err != nil {
		return nil, fmt.Errorf("%w: note %s: %w", api.ErrCorrupt, s.name(note), err)
	}
	return files, nil
}

// name returns the name of a note.
func (s *importFiles) name(note uint32) string { return fmt.Sprintf("%s%d", s.begin, note) }

// addNote adds the note of a batch's files to the batch.
func (s *importFiles) addNote(b *simdb.Batch) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.now) == 0 {
		s.waiting = append(s.waiting, waitingFiles{note: noNote})
		return nil
	}
	s.waiting = append(s.waiting, waitingFiles{s.notes, s.now})
	value, err := json.Marshal(s.now)
	if err != nil {
		return err
	}
	b.Note(s.name(s.notes), value)
	s.notes++
	s.now = nil
	return nil
}

// stored drops the oldest waiting files. The import calls it once for each batch, in order, when
// the batch is durable.
func (s *importFiles) stored() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waiting) > 0 { // nothing waits for the last batch, which only marks the end
		s.waiting = s.waiting[1:]
	}
}

// restore fills the set with the files of the interrupted import.
func (s *importFiles) restore() error {
	for {
		files, err := s.load(s.notes)
		if err != nil || files == nil {
			return err
		}
		for _, f := range files {
			if _, err := s.add(string(f.ID), f.Source); err != nil {
				return err
			}
		}
		s.now = nil
		s.notes++
	}
}

// forget deletes the notes of an earlier import of the same paths.
func (s *importFiles) forget(b *simdb.Batch) error {
	for note := uint32(0); ; note++ {
		value, err := s.db.Note(s.name(note))
		if err != nil || value == nil {
			return err
		}
		b.Note(s.name(note), nil)
	}
}
