package disk

// The reserve of a store: the file RESERVE holds disk space and no data, so that a full disk still
// has room for recovery, deletions and a compaction (docs/decisions/0086).

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"

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
	begun atomic.Bool  // the recovery has ended
	size  atomic.Int64 // bytes that the file holds; 0 after giveBack, and during recovery, because a crash may have left less
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
	if held := r.size.Load(); held > 0 && r.available() < to-held {
		return syscall.ENOSPC // a file system may take all free bytes before it fails
	}
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
	return errors.Join(err, f.Sync()) // some file systems report a full disk only here
}

// Reserve grows the reserve for a change with n bytes of log records. A NoRoom error refuses the
// change. During recovery Reserve does nothing: only the writes themselves can fail.
func (s *Store) Reserve(n int64) error {
	r := s.reserve
	if r.off || !r.begun.Load() || r.size.Load() >= r.base()+r.unflushed(n) {
		return nil
	}
	s.pressure.stored.Store(int64(s.pebble.Metrics().Total().TablesSize) + s.pressure.unflushed.Load()) // without deleted data
	r.mu.Lock()
	defer r.mu.Unlock()
	need := r.base() + r.unflushed(n)
	if r.size.Load() >= need {
		return nil
	}
	err := error(syscall.ENOSPC)
	for _, to := range []int64{need + need/4, need} {
		if isFull(err) && r.spent.Load() == 0 {
			err = r.grow(to)
		}
	}
	if err == nil {
		r.ranges.Store(nil)
	}
	return r.refusal(err, need)
}

// ReserveDeletion is Reserve for deletions, which may take the part of the reserve that a compaction
// does not need.
func (s *Store) ReserveDeletion(n int64) error {
	r, err := s.reserve, s.Reserve(n)
	if !NoRoom(err) {
		return err
	}
	if need := r.base()/2 + r.unflushed(n); r.available()+r.size.Load() < need {
		return r.refusal(syscall.ENOSPC, need)
	}
	return nil
}

// refusal explains the error of a full disk. It returns other errors unchanged.
func (r *reserve) refusal(err error, need int64) error {
	if !isFull(err) {
		return err
	}
	return noRoom{fmt.Errorf("no room in %s: the reserve for deletions needs %d bytes, and the disk has %d free; delete documents or drop collections, then compact, or make room: %w",
		r.dir, need, r.available()+r.size.Load(), err)}
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
	if !isFull(err) || s.opts.ReadOnly {
		return err
	}
	need := int64(leastReserve)
	if s.log != nil {
		need += s.log.Bytes()
	}
	return fmt.Errorf("%w; the disk is full, and the reserve of the store is used up: free %d bytes there", err, need)
}
