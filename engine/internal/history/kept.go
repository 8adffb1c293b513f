// Package history is the log of a store, beyond what recovery needs: log segments are
// moved into the directory history, instead of being deleted, as long as the setting of
// the store says so (docs/decisions/0046). They are read beside whoever writes the store,
// and appended to the logs of copies. It knows records as bytes with a number, and neither
// Pebble nor documents.
package history

import (
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/durable"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/wal"
)

// The names in a store's directory.
const (
	Name    = "history"
	LogName = "log"

	SettingsName = "SETTINGS"
)

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

// readSettings returns an error that wraps fs.ErrNotExist when there is no file.
func readSettings(f vfs.FS, path string) (out settings, err error) {
	body, err := durable.ReadSummed(f, path, 1<<30)
	if err != nil {
		return out, err
	}
	if err := json.Unmarshal(body, &out); err != nil {
		return out, fault.Corrupt("%s: %w", path, err)
	}
	return out, nil
}

// Read lists what a store kept: its segments, in order, and what they are read with, as far
// as that can be read.
func Read(f vfs.FS, path string) (kept []wal.File, of []InForce, err error) {
	dir := f.PathJoin(path, Name)
	if kept, err = wal.Files(f, dir); err != nil {
		return nil, nil, err
	}
	s, err := readSettings(f, f.PathJoin(dir, SettingsName))
	if err != nil {
		return kept, nil, nil
	}
	return kept, s.Of, nil
}

// Kept is the directory history of a store that is open for writing.
type Kept struct {
	FS      vfs.FS
	Path    string // of the store
	Keep    api.KeepLog
	Records Records // need not be set where nothing is kept
	Logger  *slog.Logger

	settings settings
}

func (k *Kept) file(name string) string { return k.FS.PathJoin(k.Path, Name, name) }

func (k *Kept) writeSettings() error {
	return durable.WriteSummed(k.FS, k.file(""), k.file(SettingsName), k.settings)
}

// SegmentBytes is how long log segments get: what four memtables hold, and no more than
// an eighth of the history, which goes by whole segments.
func (k *Kept) SegmentBytes(memTable int64) int64 {
	n := 4 * memTable
	if k.Keep.Bytes > 0 {
		n = min(n, k.Keep.Bytes/8)
	}
	return max(n, 16<<10)
}

// Begin makes ready for segments to be kept, when all records up to seq are
// durable in Pebble. What was kept goes if nothing is to be kept any more. A SETTINGS that
// is damaged is begun anew: it must not keep a store from being opened.
func (k *Kept) Begin(seq uint64) error {
	f := k.FS
	if !k.Keep.On() {
		if durable.Exists(f, k.file("")) {
			return f.RemoveAll(k.file(""))
		}
		return nil
	}
	if err := durable.MakeDir(f, k.file("")); err != nil {
		return err
	}
	var err error
	k.settings, err = readSettings(f, k.file(SettingsName))
	if err == nil {
		return k.shortenSettings()
	}
	if errors.Is(err, api.ErrCorrupt) {
		k.Logger.Warn("history begins anew", "after", seq, "because", err)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	present, err := k.Records.Present()
	if err != nil {
		return err
	}
	k.settings = settings{Since: seq, Of: []InForce{{seq, present}}}
	return k.writeSettings()
}

// shortenSettings makes one of the settings that only segments needed which are gone.
func (k *Kept) shortenSettings() error {
	first, err := k.trim()
	if err != nil {
		return err
	}
	var old [][]byte
	for _, o := range k.settings.Of {
		if o.Seq < first {
			old = append(old, o.Settings)
		}
	}
	if len(old) < 2 {
		return nil
	}
	needed, err := k.Records.Needed(old)
	if err != nil {
		return err
	}
	k.settings.Of = append([]InForce{{k.settings.Of[len(old)-1].Seq, needed}}, k.settings.Of[len(old):]...)
	return k.writeSettings()
}

// Retire keeps a log segment, or deletes it. Its settings are durable in SETTINGS before
// it is moved, and it is synced: what a killed process left in it may not have been.
func (k *Kept) Retire(path string, first, last uint64) error {
	f := k.FS
	if last < first || last <= k.settings.Since {
		return f.Remove(path)
	}
	changes, err := k.settingsIn(wal.File{Path: path, First: first, Last: last})
	if errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err != nil { // whoever reads the history is told
		k.Logger.Warn("a log segment is damaged, and kept as it is", "because", err)
	}
	if len(changes) > 0 {
		k.settings.Of = append(k.settings.Of, changes...)
		if err := k.writeSettings(); err != nil {
			return err
		}
	}
	if err := durable.SyncFile(f, path); err != nil {
		return err
	}
	if err := f.Rename(path, k.file(wal.KeptName(first, last))); err != nil {
		return err
	}
	if err := durable.SyncDir(f, k.file("")); err != nil {
		return err
	}
	_, err = k.trim()
	return err
}

// settingsIn finds what a segment has that SETTINGS lacks, as far as the segment can be
// read.
func (k *Kept) settingsIn(file wal.File) (out []InForce, err error) {
	var known uint64
	if n := len(k.settings.Of); n > 0 {
		known = k.settings.Of[n-1].Seq
	}
	r, err := wal.OpenFile(k.FS, file)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for seq := uint64(0); seq < file.Last; {
		var record []byte
		if seq, record, err = r.Next(); err != nil {
			return out, err
		}
		changes, err := k.Records.Settings(record)
		if err != nil {
			return out, err
		}
		if changes != nil && seq > known {
			out = append(out, InForce{seq, changes})
		}
	}
	return out, nil
}

// trim deletes the oldest segments that are beyond the limits. It returns the
// first record of those that stay, or of the log.
func (k *Kept) trim() (first uint64, err error) {
	f := k.FS
	files, err := wal.Files(f, k.file(""))
	if err != nil {
		return 0, err
	}
	var bytes int64
	for _, file := range files {
		bytes += file.Bytes
	}
	first = k.settings.Since + 1
	keep := k.Keep
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

// SyncLog makes durable what a killed process wrote to the log, before Pebble gets it: else
// a power failure could take a record from the log that Pebble has, and history would have
// a hole.
func (k *Kept) SyncLog() error {
	files, err := wal.Files(k.FS, k.FS.PathJoin(k.Path, LogName))
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := durable.SyncFile(k.FS, file.Path); err != nil {
			return err
		}
	}
	return nil
}
