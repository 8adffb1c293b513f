package disk

// History: log segments that recovery no longer needs are moved into the directory
// history, instead of being deleted, as long as the setting of the store says so
// (docs/decisions/0046).

import (
	"encoding/json"
	"errors"
	"io/fs"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/wal"
)

const (
	historyName  = "history"
	settingsName = "SETTINGS"
)

// segmentBytes is how long log segments get: what four memtables hold, and no more than
// an eighth of the history, which goes by whole segments.
func (s *Store) segmentBytes() int64 {
	n := 4 * s.opts.MemTableBytes
	if s.was.Keep.Bytes > 0 {
		n = min(n, s.was.Keep.Bytes/8)
	}
	return max(n, 16<<10)
}

// Records is what the log's records are to history.
type Records interface {
	// Settings returns what of a record later ones cannot be read without; nil if nothing.
	Settings(record []byte) ([]byte, error)
	// Present returns what of all records so far later ones cannot be read without.
	Present() ([]byte, error)
	// Needed shortens what several records gave, in order, to what is needed after them.
	Needed(settings [][]byte) ([]byte, error)
}

// settings is what the file SETTINGS holds: of all records from the beginning of the
// history on what later ones cannot be read without. So no segment needs another to be
// read, and the oldest can be deleted.
type settings struct {
	Since uint64    `json:"since"` // history began after this record
	Of    []InForce `json:"of"`
}

// InForce is what a record changed for later ones.
type InForce struct {
	Seq      uint64 `json:"seq"`
	Settings []byte `json:"settings"`
}

func (s *Store) history(name string) string {
	return s.opts.FS.PathJoin(s.path, historyName, name)
}

// readSettings returns an error that wraps fs.ErrNotExist when there is no file.
func readSettings(f vfs.FS, path string) (out settings, err error) {
	body, err := readSummed(f, path, 1<<30)
	if err != nil {
		return out, err
	}
	if err := json.Unmarshal(body, &out); err != nil {
		return out, fault.Corrupt("%s: %w", path, err)
	}
	return out, nil
}

func (s *Store) writeSettings() error {
	return writeSummed(s.opts.FS, s.history(""), s.history(settingsName), s.kept)
}

// beginHistory makes ready for segments to be kept, when all records up to seq are
// durable in Pebble. What was kept goes if nothing is to be kept any more. A SETTINGS that
// is damaged is begun anew: it must not keep a store from being opened.
func (s *Store) beginHistory(seq uint64) error {
	f := s.opts.FS
	if s.opts.ReadOnly {
		return nil
	}
	if !s.was.Keep.On() {
		if exists(f, s.history("")) {
			return f.RemoveAll(s.history(""))
		}
		return nil
	}
	if err := makeDir(f, s.history("")); err != nil {
		return err
	}
	var err error
	s.kept, err = readSettings(f, s.history(settingsName))
	if err == nil {
		return s.shortenSettings()
	}
	if errors.Is(err, api.ErrCorrupt) {
		s.opts.Logger.Warn("history begins anew", "after", seq, "because", err)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	present, err := s.opts.Records.Present()
	if err != nil {
		return err
	}
	s.kept = settings{Since: seq, Of: []InForce{{seq, present}}}
	return s.writeSettings()
}

// shortenSettings makes one of the settings that only segments needed which are gone.
func (s *Store) shortenSettings() error {
	first, err := s.trimHistory()
	if err != nil {
		return err
	}
	var old [][]byte
	for _, o := range s.kept.Of {
		if o.Seq < first {
			old = append(old, o.Settings)
		}
	}
	if len(old) < 2 {
		return nil
	}
	needed, err := s.opts.Records.Needed(old)
	if err != nil {
		return err
	}
	s.kept.Of = append([]InForce{{s.kept.Of[len(old)-1].Seq, needed}}, s.kept.Of[len(old):]...)
	return s.writeSettings()
}

// retire keeps a log segment, or deletes it. Its settings are durable in SETTINGS before
// it is moved, and it is synced: what a killed process left in it may not have been.
func (s *Store) retire(path string, first, last uint64) error {
	f := s.opts.FS
	if last < first || last <= s.kept.Since {
		return f.Remove(path)
	}
	changes, err := s.settingsIn(wal.File{Path: path, First: first, Last: last})
	if errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err != nil { // whoever reads the history is told
		s.opts.Logger.Warn("a log segment is damaged, and kept as it is", "because", err)
	}
	if len(changes) > 0 {
		s.kept.Of = append(s.kept.Of, changes...)
		if err := s.writeSettings(); err != nil {
			return err
		}
	}
	if err := syncFile(f, path); err != nil {
		return err
	}
	if err := f.Rename(path, s.history(wal.KeptName(first, last))); err != nil {
		return err
	}
	if err := SyncDir(f, s.history("")); err != nil {
		return err
	}
	_, err = s.trimHistory()
	return err
}

// settingsIn finds what a segment has that SETTINGS lacks, as far as the segment can be
// read.
func (s *Store) settingsIn(file wal.File) (out []InForce, err error) {
	var known uint64
	if n := len(s.kept.Of); n > 0 {
		known = s.kept.Of[n-1].Seq
	}
	r, err := wal.OpenFile(s.opts.FS, file)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for seq := uint64(0); seq < file.Last; {
		var record []byte
		if seq, record, err = r.Next(); err != nil {
			return out, err
		}
		changes, err := s.opts.Records.Settings(record)
		if err != nil {
			return out, err
		}
		if changes != nil && seq > known {
			out = append(out, InForce{seq, changes})
		}
	}
	return out, nil
}

// trimHistory deletes the oldest segments that are beyond the limits. It returns the
// first record of those that stay, or of the log.
func (s *Store) trimHistory() (first uint64, err error) {
	f := s.opts.FS
	files, err := wal.Files(f, s.history(""))
	if err != nil {
		return 0, err
	}
	var bytes int64
	for _, file := range files {
		bytes += file.Bytes
	}
	first = s.kept.Since + 1
	keep := s.was.Keep
	for i, file := range files {
		first = file.First
		tooOld := keep.Age > 0 && time.Since(file.Info.ModTime()) > keep.Age
		tooMuch := keep.Bytes > 0 && bytes > keep.Bytes
		if !tooOld && !tooMuch {
			break
		}
		if err := f.Remove(file.Path); err != nil {
			return 0, err
		}
		bytes -= file.Bytes
		first = files[i].Last + 1
	}
	return first, nil
}

// syncLogFiles makes durable what a killed process wrote to the log, before Pebble gets
// it: else a power failure could take a record from the log that Pebble has, and history
// would have a hole.
func (s *Store) syncLogFiles() error {
	files, err := wal.Files(s.opts.FS, s.File(logName))
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := syncFile(s.opts.FS, file.Path); err != nil {
			return err
		}
	}
	return nil
}

func syncFile(f vfs.FS, path string) error {
	file, err := f.OpenReadWrite(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}
