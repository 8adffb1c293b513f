// A file system with few bytes.

package enginetest

import (
	"io/fs"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Limited is a file system in memory with a number of bytes. Unlike a real one, it frees a removed file
// that is still open.
type Limited struct {
	vfs.FS
	Full   error // of a write without room; ENOSPC unless set
	AtSync bool  // writes without room succeed, and the sync after them fails
	limit  int64

	whole sync.RWMutex // Clone excludes changes of files
	mu    sync.Mutex
	sizes map[string]int64
}

// NewLimited returns an empty file system.
func NewLimited(bytes int64) *Limited {
	return &Limited{FS: vfs.NewMem(), Full: syscall.ENOSPC, limit: bytes, sizes: map[string]int64{}}
}

// Used returns the bytes of all files but those with a name.
func (l *Limited) Used(but string) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.used(but)
}

// SetFree sets the limit to the used bytes and free more.
func (l *Limited) SetFree(free int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.limit = l.used("") + free
}

// Clone returns a copy of a directory of the file system, as a killed process leaves it.
func (l *Limited) Clone(t *testing.T, dir string) *Limited {
	t.Helper()
	l.whole.Lock()
	defer l.whole.Unlock()
	out := NewLimited(1 << 62)
	if _, err := vfs.Clone(l.FS, out, dir, dir); err != nil {
		t.Fatal(err)
	}
	return out
}

func (l *Limited) used(but string) (n int64) {
	for path, size := range l.sizes {
		if l.PathBase(path) != but {
			n += size
		}
	}
	return n
}

// take grows a file to a size, and returns how many bytes of that there is no room for.
func (l *Limited) take(path string, size int64) (short int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	more := max(0, size-l.sizes[path])
	if !l.AtSync {
		short = max(0, l.used("")+more-l.limit)
	}
	l.sizes[path] += max(0, more-short)
	return min(short, more)
}

func (l *Limited) Unwrap() vfs.FS { return l.FS }

func (l *Limited) GetDiskUsage(string) (vfs.DiskUsage, error) {
	used := l.Used("")
	return vfs.DiskUsage{AvailBytes: uint64(max(0, l.limit-used)), TotalBytes: uint64(l.limit), UsedBytes: uint64(used)}, nil
}

func (l *Limited) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	l.whole.RLock()
	defer l.whole.RUnlock()
	f, err := l.FS.Create(name, c)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sizes[name] = 0
	return &limitedFile{File: f, l: l, name: name}, nil
}

func (l *Limited) OpenReadWrite(name string, c vfs.DiskWriteCategory, o ...vfs.OpenOption) (vfs.File, error) {
	f, err := l.FS.OpenReadWrite(name, c, o...)
	if err != nil {
		return nil, err
	}
	return &limitedFile{File: f, l: l, name: name}, nil
}

func (l *Limited) Rename(from, to string) error {
	l.whole.RLock()
	defer l.whole.RUnlock()
	err := l.FS.Rename(from, to)
	if err == nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.sizes[to] = l.sizes[from]
		delete(l.sizes, from)
	}
	return err
}

func (l *Limited) Remove(name string) error {
	l.whole.RLock()
	defer l.whole.RUnlock()
	err := l.FS.Remove(name)
	if err == nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.sizes, name)
	}
	return err
}

func (l *Limited) RemoveAll(name string) error {
	l.whole.RLock()
	defer l.whole.RUnlock()
	err := l.FS.RemoveAll(name)
	l.mu.Lock()
	defer l.mu.Unlock()
	for path := range l.sizes {
		if path == name || strings.HasPrefix(path, name+"/") {
			delete(l.sizes, path)
		}
	}
	return err
}

// limitedFile is a file of a Limited.
type limitedFile struct {
	vfs.File
	l    *Limited
	name string
	at   int64 // of Write
}

// full returns the error of a write or sync without room.
func (f *limitedFile) full() error {
	return &fs.PathError{Op: "store", Path: f.name, Err: f.l.Full}
}

// Write stores as much as there is room for, as a disk does.
func (f *limitedFile) Write(p []byte) (int, error) {
	f.l.whole.RLock()
	defer f.l.whole.RUnlock()
	short := f.l.take(f.name, f.at+int64(len(p)))
	n, err := f.File.Write(p[:int64(len(p))-short])
	f.at += int64(n)
	if err == nil && short > 0 {
		err = f.full()
	}
	return n, err
}

func (f *limitedFile) Sync() error     { return f.synced(f.File.Sync) }
func (f *limitedFile) SyncData() error { return f.synced(f.File.SyncData) }

// synced syncs, unless there is no room for the data.
func (f *limitedFile) synced(sync func() error) error {
	f.l.mu.Lock()
	over := f.l.AtSync && f.l.used("") > f.l.limit
	f.l.mu.Unlock()
	if over {
		return f.full()
	}
	return sync()
}

func (f *limitedFile) WriteAt(p []byte, at int64) (int, error) {
	f.l.whole.RLock()
	defer f.l.whole.RUnlock()
	short := f.l.take(f.name, at+int64(len(p)))
	n, err := f.File.WriteAt(p[:int64(len(p))-short], at)
	if err == nil && short > 0 {
		err = f.full()
	}
	return n, err
}

// Preallocate takes the bytes as on Linux: all or none.
func (f *limitedFile) Preallocate(_, n int64) error {
	f.l.mu.Lock()
	defer f.l.mu.Unlock()
	if more := n - f.l.sizes[f.name]; more > 0 && f.l.used("")+more > f.l.limit {
		return f.full()
	} else if more > 0 {
		f.l.sizes[f.name] = n
	}
	return nil
}
