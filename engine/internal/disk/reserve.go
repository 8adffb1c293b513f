package disk

// The reserve of a store: the file RESERVE holds disk space and no data, so that a full disk still
// has room for recovery, deletions and a compaction (docs/decisions/0086).

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

const (
	reserveName = "RESERVE"

	// The base of the reserve is leastReserve, for the small files of an opening and a flush, and a
	// share of the tables, for a compaction by parts. Large stores have tables of at most 128 MB,
	// so mostReserve bounds the base.
	leastReserve = 128 << 10
	reserveShare = 4
	mostReserve  = 64 << 20
)

// reserve is the file of the reserve. It has no reference to Store (see opening.reads). Safe for
// concurrent use.
type reserve struct {
	fs        vfs.FS // of the directory
	dir, path string
	off       bool // in memory, read-only, or on a file system that does not report its free space
	pressure  *pressure

	mu    sync.Mutex   // held while the file changes
	size  atomic.Int64 // bytes that the file holds; 0 after giveBack
	spent atomic.Int32 // compactions that use the reserve

	ranges atomic.Pointer[[][]byte] // see Narrow
}

// base returns the part of the reserve that does not depend on unflushed data.
func (r *reserve) base() int64 {
	return min(leastReserve+max(r.pressure.stored.Load(), 0)/reserveShare, mostReserve)
}

// unflushed returns the room for the unflushed data and n bytes more: for their log records, and
// for the tables that a flush or a recovery makes of them.
func (r *reserve) unflushed(n int64) int64 { return 2 * (r.pressure.unflushed.Load() + n) }

// available returns the free bytes of the disk.
func (r *reserve) available() int64 {
	usage, err := r.fs.GetDiskUsage(r.dir)
	if err != nil {
		return 0
	}
	return int64(usage.AvailBytes)
}

// open turns the reserve off where the file system does not report its free space. The size stays 0 until
// the recovery has ended, because a killed process may have left an empty file.
func (r *reserve) open() {
	if _, err := r.fs.GetDiskUsage(r.dir); err != nil {
		r.off = true
	}
}

// giveBack frees the space of the reserve.
func (r *reserve) giveBack() {
	if r.off {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fs.Remove(r.path) // if it fails, so does the write that needs the space
	r.size.Store(0)
}

// grow makes the file hold a number of bytes. On error it holds no less than before. The caller
// holds r.mu.
func (r *reserve) grow(to int64) error {
	f, err := r.fs.OpenReadWrite(r.path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	if err = f.Preallocate(0, to); runtime.GOOS != "linux" || errors.Is(err, syscall.EOPNOTSUPP) || errors.Is(err, syscall.ENOSYS) {
		err = fill(f, to) // elsewhere Preallocate does nothing
	}
	if err = errors.Join(err, f.Close()); err == nil {
		r.size.Store(to)
	} else if r.size.Load() == 0 {
		r.fs.Remove(r.path) // it may hold a part
	}
	return err
}

// fill extends a file to a number of bytes. They are random, because some file systems store zeros
// without space.
func fill(f vfs.File, to int64) error {
	at, err := length(f)
	chunk := make([]byte, 1<<20)
	rand.NewChaCha8([32]byte{}).Read(chunk)
	for n := 0; err == nil && at < to; at += int64(n) {
		n, err = f.WriteAt(chunk[:min(int64(len(chunk)), to-at)], at)
	}
	return err
}

// Reserve grows the reserve for n bytes of log records more. An error that wraps ENOSPC refuses
// them.
func (s *Store) Reserve(n int64) error {
	r := s.reserve
	if r.off || r.size.Load() >= r.base()+r.unflushed(n) {
		return nil
	}
	s.pressure.stored.Store(int64(s.pebble.Metrics().Total().TablesSize) + s.reserve.pressure.unflushed.Load()) // without deleted data
	r.mu.Lock()
	defer r.mu.Unlock()
	need := r.base() + r.unflushed(n)
	if r.size.Load() >= need {
		return nil
	}
	err := error(syscall.ENOSPC)
	for _, to := range []int64{need + need/4, need} {
		if errors.Is(err, syscall.ENOSPC) && r.spent.Load() == 0 {
			err = r.grow(to)
		}
	}
	if err == nil {
		s.reserve.ranges.Store(nil)
	}
	return r.refusal(err, need)
}

// Spare refuses n bytes of log records of deletions with ENOSPC if they would take room that a
// compaction needs.
func (s *Store) Spare(n int64) error {
	r := s.reserve
	if need := r.base()/2 + r.unflushed(n); !r.off && r.available()+r.size.Load() < need {
		return r.refusal(syscall.ENOSPC, need)
	}
	return nil
}

// refusal explains an ENOSPC. It returns other errors unchanged.
func (r *reserve) refusal(err error, need int64) error {
	if !errors.Is(err, syscall.ENOSPC) {
		return err
	}
	return fmt.Errorf("the disk of %s is full: %d bytes are free, and the reserve needs %d; delete documents or drop collections, then compact, or make room: %w",
		r.dir, r.available()+r.size.Load(), need, err)
}

// Spend gives the reserve back for a compaction. Until the returned function is called, Reserve
// does not make it again.
func (s *Store) Spend() (end func()) {
	s.reserve.spent.Add(1)
	s.reserve.giveBack()
	return func() {
		s.reserve.spent.Add(-1)
		s.Reserve(0) // otherwise the next put does
	}
}

// shrink reduces a reserve that has become much too large.
func (s *Store) shrink() {
	r := s.reserve
	need := r.base() + r.unflushed(0)
	if r.off || r.size.Load() <= 2*need {
		return
	}
	r.giveBack()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.grow(need) // otherwise the next Open does
}

// OpenError adds to an ENOSPC of Open the room that recovery needs.
func (s *Store) OpenError(err error) error {
	if !errors.Is(err, syscall.ENOSPC) || s.opts.ReadOnly {
		return err
	}
	need := int64(leastReserve)
	if s.log != nil {
		need += s.log.Bytes()
	}
	return fmt.Errorf("%w; the disk is full, and the reserve of the store is used up: free %d bytes there", err, need)
}

// noRoom marks an ENOSPC after which the store can continue: of a compaction, an index or a
// temporary file.
type noRoom struct{ error }

func (e noRoom) Unwrap() error { return e.error }

// NoRoom reports whether a compaction or an index has found too little room.
func NoRoom(err error) bool {
	var e noRoom
	return errors.As(err, &e)
}

// wrap returns the file system for a store in the directory of f. When the disk is full, writes that cannot be put off
// get the space of the reserve. All others in the directory fail with noRoom.
func (r *reserve) wrap(f vfs.FS) vfs.FS {
	r.fs = f
	return roomFS{vfs.OnDiskFull(f, r.giveBack), r}
}

type roomFS struct {
	vfs.FS
	r *reserve
}

func (f roomFS) Unwrap() vfs.FS { return f.r.fs }

func (f roomFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if !f.canWait(name, c) {
		return f.FS.Create(name, c)
	}
	file, err := f.r.fs.Create(name, c)
	if err != nil {
		return nil, asNoRoom(err)
	}
	return patientFile{file, f.r}, nil
}

// canWait reports whether the writes of a new file can be put off: of compactions, posting files and
// temporary files.
func (f roomFS) canWait(name string, c vfs.DiskWriteCategory) bool {
	return c == "pebble-compaction" || f.PathDir(name) == f.PathJoin(f.r.dir, PostingsName) || strings.HasPrefix(f.PathBase(name), scratchPrefix)
}

// patientFile is a file whose writes leave room for the unflushed data.
type patientFile struct {
	vfs.File
	r *reserve
}

func (f patientFile) Write(p []byte) (int, error) {
	if f.r.mustLeave(int64(len(p))) {
		return 0, asNoRoom(syscall.ENOSPC)
	}
	n, err := f.File.Write(p)
	return n, asNoRoom(err)
}

// Fits returns noRoom if the disk has no room for a batch of n bytes that can be put off.
func (s *Store) Fits(n int) error {
	if s.reserve.mustLeave(int64(n)) {
		return asNoRoom(syscall.ENOSPC)
	}
	return nil
}

// mustLeave reports whether n bytes would take room that deletions need, or during Spend that a flush
// needs.
func (r *reserve) mustLeave(n int64) bool {
	if r.off || r.size.Load() > 0 {
		return false // the file keeps the room
	}
	least := r.base() * 5 / 8
	if r.spent.Load() > 0 {
		least = r.base() / 8
	}
	return r.available() < n+least+r.unflushed(0)
}

// asNoRoom marks an ENOSPC as noRoom, after a pause that slows Pebble's retries.
func asNoRoom(err error) error {
	if !errors.Is(err, syscall.ENOSPC) {
		return err
	}
	time.Sleep(retryPause)
	return noRoom{fmt.Errorf("no room beside the reserve: %w", err)}
}
