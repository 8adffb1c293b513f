// Package history keeps the log of a store beyond recovery: retired log segments move to the
// directory history, and are deleted when they exceed the limits of the store
// (docs/decisions/0046). Readers need no lock and do not disturb the writer of the store;
// extending a backup reads its records here. A record is a sequence number and opaque bytes.
//
// Begin reading with Kept in kept.go (writing) and Past in past.go (reading).
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

// Names in the directory of a store.
const (
	Name    = "history"
	LogName = "log"

	SettingsName = "SETTINGS"
)

// Records extracts from log records the settings that later records need for decoding.
type Records interface {
	// Settings returns the settings that a record changes; nil if none.
	Settings(record []byte) ([]byte, error)
	// Present returns the settings in force after all records so far.
	Present() ([]byte, error)
	// Needed merges the settings of several records, in order, into the settings in force after
	// them.
	Needed(settings [][]byte) ([]byte, error)
}

// settings is the file SETTINGS: all settings since the history began. Segments can therefore be
// decoded without their predecessors, and the oldest can be deleted.
type settings struct {
	Since uint64    `json:"since"` // history begins after this record
	Of    []InForce `json:"of"`
}

// InForce holds the settings that a record changed for later records.
type InForce struct {
	Seq      uint64 `json:"seq"`
	Settings []byte `json:"settings"`
}

// readSettings reads SETTINGS. The error wraps fs.ErrNotExist if it is missing, and is
// ErrCorrupt if it does not decode.
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

// Read returns the kept segments of a store, in order, and the settings that decode them; nil
// settings if they are unreadable.
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

// Kept is the history directory of a store that is open for writing. Not safe for concurrent
// use.
type Kept struct {
	FS      vfs.FS
	Path    string // of the store
	Keep    api.KeepLog
	Records Records // optional if nothing is kept
	Logger  *slog.Logger

	settings settings
}

func (k *Kept) file(name string) string { return k.FS.PathJoin(k.Path, Name, name) }

// writeSettings durably replaces SETTINGS.
func (k *Kept) writeSettings() error {
	return durable.WriteSummed(k.FS, k.file(""), k.file(SettingsName), k.settings)
}

// SegmentBytes returns the length of log segments: four memtables, but at most an eighth of the
// history, which shrinks by whole segments.
func (k *Kept) SegmentBytes(memTable int64) int64 {
	n := 4 * memTable
	if k.Keep.Bytes > 0 {
		n = min(n, k.Keep.Bytes/8)
	}
	return max(n, 16<<10)
}

// Begin prepares the directory, after all records up to seq became durable in Pebble. It deletes
// the history if the store keeps none. With a damaged SETTINGS the history begins again after
// seq, because damage to it must not prevent opening the store.
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
		k.Logger.Warn("the history begins again", "after", seq, "because", err)
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

// shortenSettings merges the settings of records that are no longer kept.
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

// Retire moves a log segment into the history, or deletes it if it is empty or ends before the
// history begins. Before the move it makes durable both the settings in SETTINGS and the segment,
// which a killed process may have left unsynced.
func (k *Kept) Retire(path string, first, last uint64) error {
	f := k.FS
	if last < first || last <= k.settings.Since {
		return f.Remove(path)
	}
	changes, err := k.newSettings(wal.File{Path: path, First: first, Last: last})
	if errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err != nil { // readers of the history receive the error
		k.Logger.Warn("a damaged log segment was kept unchanged", "because", err)
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

// newSettings returns the settings in a segment that SETTINGS lacks, up to the first unreadable
// record.
func (k *Kept) newSettings(file wal.File) (out []InForce, err error) {
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

// trim deletes the oldest segments beyond the limits. It returns the first remaining record, of
// the history or of the log.
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

// SyncLog makes durable the records that a killed process left in the log, before Pebble
// receives them: otherwise a power failure could remove from the log a record that Pebble has,
// which would leave a gap in the history.
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
