package segment

// The directory of posting segments: which numbers are taken, and which files can go.

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2"

	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/durable"
	"github.com/simdb/simdb/internal/keys"
)

// Dir is the directory of posting segments: the numbers of their files, and
// which files can go. The commit mutex guards those; opening, creating and removing a
// file need no guard.
type Dir struct {
	store       *disk.Store
	last        uint32            // number given; orders are numbered too
	retirements uint64            // counts batches that retire segments
	retired     map[uint32]uint64 // segments that no manifest names, and how many retirements must be durable before they go
}

// NewDir begins with what the store says of retired segments.
func NewDir(store *disk.Store) (*Dir, error) {
	retirements, err := store.Number(keys.Retired)
	return &Dir{store: store, retirements: retirements, retired: map[uint32]uint64{}}, err
}

// Path is the file of a segment.
func (d *Dir) Path(number uint32) string {
	return d.store.FS().PathJoin(d.store.File(disk.PostingsName), fmt.Sprintf("%06d%s", number, segmentSuffix))
}

// number reads the number of a segment from the name of its file.
func (d *Dir) number(name string) (number uint32, ok bool) {
	n, err := strconv.ParseUint(strings.TrimSuffix(name, segmentSuffix), 10, 32)
	number = uint32(n)
	return number, err == nil && name == d.store.FS().PathBase(d.Path(number))
}

// Take returns a number that no segment and no order has had.
func (d *Dir) Take() uint32 {
	d.last++
	return d.last
}

// Taken notes that a number is not to be given again.
func (d *Dir) Taken(number uint32) { d.last = max(d.last, number) }

// Orphan finds the segments that no manifest names: those that were being
// written, or no longer needed, when the process ended.
func (d *Dir) Orphan(named map[uint32]bool) error {
	names, err := d.store.Listed(disk.PostingsName, segmentSuffix)
	if err != nil {
		return err
	}
	for _, n := range names {
		if number, ok := d.number(n); ok {
			d.Taken(number)
			if !named[number] {
				d.Drop(number)
			}
		}
	}
	return nil
}

// Drop lets a segment go that was never in a manifest.
func (d *Dir) Drop(number uint32) { d.retired[number] = 0 }

// Retire notes, in the batch with which no manifest names segments any more, that
// they can go once that batch survives a crash.
func (d *Dir) Retire(b *pebble.Batch, segments []*Segment) error {
	d.retirements++
	for _, s := range segments {
		d.retired[s.Number] = d.retirements
	}
	return b.Set(keys.Of(keys.Retired), binary.BigEndian.AppendUint64(nil, d.retirements), nil)
}

// Removable lists the segments that can go, given how many retirements are durable.
func (d *Dir) Removable(durable uint64) (out []uint32) {
	for number, retirement := range d.retired {
		if retirement <= durable {
			out = append(out, number)
		}
	}
	return out
}

// Removed forgets a segment whose file has gone.
func (d *Dir) Removed(number uint32) { delete(d.retired, number) }

// Remove removes the file of a segment. Searches under way go on: they have it
// open. Some systems remove no file that is open.
func (d *Dir) Remove(number uint32) error {
	if err := d.store.FS().Remove(d.Path(number)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Sync makes the names of new files durable.
func (d *Dir) Sync() error {
	return durable.SyncDir(d.store.FS(), d.store.File(disk.PostingsName))
}
