package segment

// The directory of posting segments: allocating numbers, and deleting files that no manifest
// names.

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/durable"
	"github.com/simdb/simdb/internal/keys"
)

// Dir allocates the numbers of posting segments and tracks the files to delete. The commit mutex
// guards both. Opening, creating and removing files require no lock.
type Dir struct {
	store       *disk.Store
	last        uint32             // highest number allocated, to segments and orders
	retirements uint64             // number of batches that retired segments
	retired     map[uint32]retired // unnamed segments
	open        atomic.Int64       // see Opened
}

// retired is a segment that no manifest names.
type retired struct {
	after uint64 // number of retirements that must be durable before its deletion
	bytes int64  // size of its file; 0 if it needs no retirement
}

// NewDir returns the directory of a store, with the stored count of retirements.
func NewDir(store *disk.Store) (*Dir, error) {
	retirements, err := store.Number(keys.Retired)
	return &Dir{store: store, retirements: retirements, retired: map[uint32]retired{}}, err
}

// Path returns the path of a segment's file.
func (d *Dir) Path(number uint32) string {
	return d.store.FS().PathJoin(d.store.File(disk.PostingsName), fmt.Sprintf("%06d%s", number, segmentSuffix))
}

// number parses the file name of a segment.
func (d *Dir) number(name string) (number uint32, ok bool) {
	n, err := strconv.ParseUint(strings.TrimSuffix(name, segmentSuffix), 10, 32)
	number = uint32(n)
	return number, err == nil && name == d.store.FS().PathBase(d.Path(number))
}

// Take allocates a number that no segment or order has had.
func (d *Dir) Take() uint32 {
	d.last++
	return d.last
}

// Taken excludes a number and all below it from allocation.
func (d *Dir) Taken(number uint32) { d.last = max(d.last, number) }

// Create creates the file of a segment. The caller closes the Writer.
func (d *Dir) Create(number uint32) (*Writer, error) {
	if err := d.store.Poisoned(); err != nil {
		return nil, err
	}
	if err := durable.MakeDir(d.store.FS(), d.store.File(disk.PostingsName)); err != nil {
		return nil, err
	}
	f, err := d.store.FS().Create(d.Path(number), vfs.WriteCategoryUnspecified)
	if err != nil {
		return nil, err
	}
	f = vfs.NewSyncingFile(disk.CloseUnsynced(f), vfs.SyncingFileOptions{BytesPerSync: syncBytes})
	return &Writer{store: d.store, number: number, file: f, w: bufio.NewWriterSize(f, 256<<10)}, nil
}

// Orphan marks for deletion the segments that no manifest names: unfinished or retired when the
// process ended.
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

// Drop marks for deletion a segment that no manifest ever named.
func (d *Dir) Drop(number uint32) { d.retired[number] = retired{} }

// Retire marks segments for deletion once b is durable. b must be the batch that removes them
// from the manifest.
func (d *Dir) Retire(b *pebble.Batch, segments []*Segment) error {
	d.retirements++
	for _, s := range segments {
		d.retired[s.Number] = retired{d.retirements, s.Size()}
	}
	return b.Set(keys.Of(keys.Retired), binary.BigEndian.AppendUint64(nil, d.retirements), nil)
}

// Removable returns the segments that may be deleted, given the durable number of retirements, and
// the bytes of the others.
func (d *Dir) Removable(durable uint64) (out []uint32, waiting int64) {
	for number, r := range d.retired {
		if r.after <= durable {
			out = append(out, number)
		} else {
			waiting += r.bytes
		}
	}
	return out, waiting
}

// Removed forgets a segment after the deletion of its file.
func (d *Dir) Removed(number uint32) { delete(d.retired, number) }

// Remove deletes the file of a segment. Running searches hold it open and continue. Some systems
// cannot delete an open file.
func (d *Dir) Remove(number uint32) error {
	if err := d.store.FS().Remove(d.Path(number)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Opened returns the number of segments that are reachable or not yet closed by the garbage collector. A
// removed file takes space until then.
func (d *Dir) Opened() int64 { return d.open.Load() }

// Sync makes the names of new files durable.
func (d *Dir) Sync() error {
	return durable.SyncDir(d.store.FS(), d.store.File(disk.PostingsName))
}
