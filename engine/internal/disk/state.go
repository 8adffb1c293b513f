package disk

// The small file STATE. It tells whether Pebble and the log are what they should be:
// Pebble's own manifest can be damaged so that it opens empty.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/internal/version"
)

// formatVersion is another number whenever what is stored is another. What has no number
// of its own is of this one. A store of a later one is refused, and says so; from 1.0.0 on
// earlier ones are read (docs/promise.md).
const formatVersion = 6

// state is what STATE holds.
type state struct {
	Format    int    `json:"format"`
	By        string `json:"by"` // version of simdb that wrote this
	UUID      string `json:"uuid"`
	Made      bool   `json:"made"`      // the log was begun: from here on something may be acknowledged
	Applied   uint64 `json:"applied"`   // log records up to here are durable in Pebble
	Documents int64  `json:"documents"` // after the record Applied; -1 if no one had counted then

	Keep KeepLog   `json:"keep_log,omitzero"`
	From string    `json:"from,omitempty"` // of a copy that was not opened for writing yet: UUID of the store
	At   time.Time `json:"at,omitzero"`    // of such a copy: when it was made
}

// Castagnoli is the polynomial of every checksum in a store.
var Castagnoli = crc32.MakeTable(crc32.Castagnoli)

// readState returns an error that wraps fs.ErrNotExist when there is no file.
func readState(fs vfs.FS, path string) (state, error) {
	var s state
	body, err := readSummed(fs, path, 4096)
	if err != nil {
		return s, err
	}
	var made struct { // what every version writes, whatever else is there
		Format int    `json:"format"`
		By     string `json:"by"`
	}
	switch err := json.Unmarshal(body, &made); {
	case err != nil:
		return s, fault.Corrupt("%s: %w", path, err)
	case made.Format > formatVersion:
		return s, fault.TooNew(path, made.By, uint64(made.Format), formatVersion)
	case made.Format != formatVersion:
		return s, fmt.Errorf("%w: %s has format %d, this simdb reads format %d", fault.ErrFormat, path, made.Format, formatVersion)
	}
	if err := json.Unmarshal(body, &s); err != nil {
		return s, fault.Corrupt("%s: %w", path, err)
	}
	return s, nil
}

// stamped says which version of simdb, and of the format, writes the state.
func (s state) stamped() state {
	s.Format, s.By = formatVersion, version.Version
	return s
}

func writeState(fs vfs.FS, dir, path string, s state) error {
	return writeSummed(fs, dir, path, s.stamped())
}

// readSummed reads the JSON of a file that writeSummed has written.
func readSummed(fs vfs.FS, path string, most int64) ([]byte, error) {
	f, err := fs.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return nil, err
	}
	head, body, _ := bytes.Cut(b, []byte("\n"))
	var sum uint32
	if _, err := fmt.Sscanf(string(head), "simdb %08x", &sum); err != nil || sum != crc32.Checksum(body, Castagnoli) {
		return nil, fault.Corrupt("%s: checksum does not match", path)
	}
	return body, nil
}

// writeSummed replaces a file in a directory atomically: one line "simdb <crc32c of the
// rest>", one line of JSON.
func writeSummed(fs vfs.FS, dir, path string, content any) (err error) {
	body, err := json.Marshal(content)
	if err != nil {
		return err
	}
	body = append(body, '\n')
	tmp := path + ".new"
	f, err := fs.Create(tmp, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "simdb %08x\n%s", crc32.Checksum(body, Castagnoli), body)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := fs.Rename(tmp, path); err != nil {
		return err
	}
	return SyncDir(fs, dir)
}

// SyncDir makes the names in a directory durable.
func SyncDir(fs vfs.FS, dir string) error {
	d, err := fs.OpenDir(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
