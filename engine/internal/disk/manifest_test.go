package disk

// A manifest that cannot be written.

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/simdb/simdb/api"
)

// heldTable is a disk that holds back the first table that is made while it is on. From
// then on no manifest can be written, if it is failing.
type heldTable struct {
	on, failing   atomic.Bool
	held, release chan struct{}
}

func (h *heldTable) String() string { return "heldTable" }

func (h *heldTable) MaybeError(op errorfs.Op) error {
	switch {
	case op.Kind == errorfs.OpCreate && strings.HasSuffix(op.Path, ".sst") && h.on.CompareAndSwap(true, false):
		close(h.held)
		<-h.release
	case h.failing.Load() && op.Kind.ReadOrWrite() == errorfs.OpIsWrite && strings.Contains(op.Path, "MANIFEST"):
		return errorfs.ErrInjected
	}
	return nil
}

// markedFS checks at each marker that its manifest survives a crash.
type markedFS struct {
	*vfs.MemFS
	t     *testing.T
	marks *atomic.Int64
}

func (f markedFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if _, number, ok := strings.Cut(name, "MANIFEST"); ok && strings.HasPrefix(f.PathBase(name), "marker.manifest") {
		f.marks.Add(1)
		manifest := f.PathJoin(f.PathDir(name), "MANIFEST"+number)
		if _, err := f.CrashClone(vfs.CrashCloneCfg{}).Stat(manifest); err != nil {
			f.t.Errorf("%s is created, and a crash loses its manifest: %v", name, err)
		}
	}
	return f.MemFS.Create(name, c)
}

// A manifest is durable before the marker that names it, because a file system may keep the marker
// alone.
func TestManifestIsDurableBeforeItsMarker(t *testing.T) {
	marks := new(atomic.Int64)
	s := begun(t, "db", markedFS{vfs.NewCrashableMem(), t, marks})
	if err := s.Close(); err != nil || marks.Load() == 0 {
		t.Fatalf("%d markers, %v", marks.Load(), err)
	}
}

// A compaction at whose end the list of tables cannot be written fails, and the process goes
// on. Pebble has changed the places of the tables that came meanwhile by then.
func TestManifestFailsAfterACompaction(t *testing.T) {
	h := &heldTable{held: make(chan struct{}), release: make(chan struct{})}
	disk := vfs.NewMem()
	s := begun(t, "db", errorfs.Wrap(disk, h))
	put := func(keys string) {
		b := s.Pebble().NewBatch()
		for _, k := range keys {
			if err := b.Set([]byte{1, byte(k)}, []byte(keys), nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Apply(b); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		put("am") // two tables that a compaction has to write anew
		if err := s.Flush(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	h.on.Store(true)
	compacted := make(chan error)
	go func() { compacted <- s.Compact(context.Background()) }()
	<-h.held
	put("xz")
	if err := s.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	h.failing.Store(true)
	close(h.release)
	if err := <-compacted; !errors.Is(err, api.ErrPoisoned) || !errors.Is(err, errorfs.ErrInjected) {
		t.Errorf("Compact = %v, want ErrPoisoned with the cause", err)
	}
	for _, k := range "amxz" {
		if v, err := Get(s.Pebble(), []byte{1, byte(k)}); err != nil || v == nil {
			t.Errorf("after that %c is %q, %v", k, v, err)
		}
	}
	s.Close() // says that it is poisoned
	h.failing.Store(false)
	s = begun(t, "db", disk)
	defer s.Close()
	for _, k := range "amxz" {
		if v, err := Get(s.Pebble(), []byte{1, byte(k)}); err != nil || v == nil {
			t.Errorf("opened again %c is %q, %v", k, v, err)
		}
	}
}
