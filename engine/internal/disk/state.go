package disk

// The file STATE. It makes a missing log or an empty Pebble detectable: damage to Pebble's own
// manifest can make Pebble open empty.

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

// formatVersion changes with every change of a stored format that has no version of its own. A
// store of a later version is refused with ErrFormatTooNew; from 1.0.0 on, earlier versions stay
// readable (docs/promise.md).
const formatVersion = 9

// state is the content of STATE.
type state struct {
	Format    int    `json:"format"`
	By        string `json:"by"` // version of simdb that wrote STATE
	UUID      string `json:"uuid"`
	Made      bool   `json:"made"`      // the log was begun, so writes may have been acknowledged
	Applied   uint64 `json:"applied"`   // log records up to here are durable in Pebble
	Documents int64  `json:"documents"` // after the record Applied; -1 if uncounted

	Erasing uint64 `json:"erasing,omitempty"` // the history up to this record may lack documents under erasure
	Erased  uint64 `json:"erased,omitempty"`  // history and tables lack all documents erased up to this record

	Keep api.KeepLog `json:"keep_log,omitzero"`
	From string      `json:"from,omitempty"` // UUID of the original, in a copy never opened for writing
	At   time.Time   `json:"at,omitzero"`    // time of copying, in such a copy
}

// readState reads STATE. The error wraps fs.ErrNotExist if it is missing; ErrFormat,
// ErrFormatTooNew or ErrCorrupt if this version cannot read it.
func readState(fs vfs.FS, path string) (state, error) {
	var s state
	body, err := durable.ReadSummed(fs, path, 4096)
	if err != nil {
		return s, err
	}
	var made struct { // the fields that every version writes
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

// stamp returns s with this version of the format and of simdb.
func (s state) stamp() state {
	s.Format, s.By = formatVersion, version.Version
	return s
}

// writeState durably replaces STATE.
func writeState(fs vfs.FS, dir, path string, s state) error {
	return durable.WriteSummed(fs, dir, path, s.stamp())
}
