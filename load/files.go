package load

// Which files an import has read, so that none replaces another of the same id in
// silence. The ids are kept as notes, in the batches of the documents, because an
// import that is resumed must know those of the files that were read before. Memory
// holds a hash of each, some 40 bytes a file.

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
	begin string // of the names of its notes
	seed  maphash.Seed
	seen  map[uint64]uint32 // hash of an id → the note that has it; on a clash the next number is taken

	notes uint32     // written so far
	now   []readFile // for the next note

	mu      sync.Mutex
	waiting []waitingFiles // notes that the store may not have yet
}

// readFile is an id and where the file is that has it.
type readFile struct {
	ID     []byte `json:"id"` // need not be UTF-8
	Source string `json:"source"`
}

// noNote stands for the note of a batch without files.
const noNote = ^uint32(0)

// waitingFiles are the files of a batch that is on its way.
type waitingFiles struct {
	note  uint32
	files []readFile
}

// readBefore returns the place of a file that this import has read and that has the id
// of the document, or "". It takes note of the document if it is a file too.
func (r *importRun) readBefore(d ingest.Doc) (string, error) {
	if d.Line > 0 || r.o.LastWins || r.o.ID == "sha256" { // files with one id have one text
		return "", nil
	}
	return r.files.add(d.ID, d.Source)
}

func sameID(first string) string {
	return fmt.Sprintf("has the id of %s, which this import has read before; make ids differ by --prefix, --strip or --id, or use --last-wins", first)
}

// add takes a file into the set, unless one of its id is there. Then it returns the
// place of that one.
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
		hash++ // of another id
	}
}

// filesOf returns the files of a note.
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

func (s *importFiles) name(note uint32) string { return fmt.Sprintf("%s%d", s.begin, note) }

// tell adds the files of a batch to it.
func (s *importFiles) tell(b *simdb.Batch) error {
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

// stored is called for each batch in turn, once the store has it.
func (s *importFiles) stored() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waiting) > 0 { // the last batch of an import has no files
		s.waiting = s.waiting[1:]
	}
}

// restore fills the set with the files that an import has read before.
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

// forget removes the notes that an earlier import of the same paths has left.
func (s *importFiles) forget(b *simdb.Batch) error {
	for note := uint32(0); ; note++ {
		value, err := s.db.Note(s.name(note))
		if err != nil || value == nil {
			return err
		}
		b.Note(s.name(note), nil)
	}
}
