package disk

// The small file STATE. It tells whether Pebble and the log are what they should be:
// Pebble's own manifest can be damaged so that it opens empty.

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/durable"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/internal/version"
)

// formatVersion is another number whenever what is stored is another. What has no number
// of its own is of this one. A store of a later one is refused, and says so; from 1.0.0 on
// earlier ones are read (docs/promise.md).
const formatVersion = 8

// state is what STATE holds.
type state struct {
	Format    int    `json:"format"`
	By        string `json:"by"` // version of simdb that wrote this
	UUID      string `json:"uuid"`
	Made      bool   `json:"made"`      // the log was begun: from here on something may be acknowledged
	Applied   uint64 `json:"applied"`   // log records up to here are durable in Pebble
	Documents int64  `json:"documents"` // after the record Applied; -1 if no one had counted then

	Erasing uint64 `json:"erasing,omitempty"` // the history up to this record may lack what is being erased
	Erased  uint64 `json:"erased,omitempty"`  // neither it nor the tables have what was erased up to this record

	Keep api.KeepLog `json:"keep_log,omitzero"`
	From string      `json:"from,omitempty"` // of a copy that was not opened for writing yet: UUID of the store
	At   time.Time   `json:"at,omitzero"`    // of such a copy: when it was made
}

// readState returns an error that wraps fs.ErrNotExist when there is no file.
func readState(fs vfs.FS, path string) (state, error) {
	var s state
	body, err := durable.ReadSummed(fs, path, 4096)
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
		return s, fmt.Errorf("%w: %s has format %d, this simdb reads format %d", api.ErrFormat, path, made.Format, formatVersion)
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
	return durable.WriteSummed(fs, dir, path, s.stamped())
}
