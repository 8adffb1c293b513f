// The small files of a store, and sealed values, of any bytes.

package disk

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"reflect"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/durable"

	"github.com/simdb/simdb/internal/guard"
	"github.com/simdb/simdb/internal/version"
)

// summed writes a file of a body under a good sum, or of the bytes as they are.
func summed(t *testing.T, body []byte, good bool) (fs *vfs.MemFS) {
	t.Helper()
	fs = vfs.NewMem()
	f, err := fs.Create("file", vfs.WriteCategoryUnspecified)
	if err == nil && good {
		_, err = fmt.Fprintf(f, "simdb %08x\n", crc32.Checksum(body, durable.Castagnoli))
	}
	if err == nil {
		_, err = f.Write(body)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	return fs
}

func FuzzState(f *testing.F) {
	for _, s := range []state{
		{Format: formatVersion, UUID: "a", Made: true, Applied: 1 << 60, Documents: -1},
		{Format: formatVersion, Keep: api.KeepLog{Bytes: 5, Age: time.Hour}, At: time.Unix(1, 2).UTC(), From: "b"},
		{Format: formatVersion + 1}, {Format: -1},
	} {
		b, err := json.Marshal(s)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, true)
		f.Add(b, false)
	}
	f.Fuzz(func(t *testing.T, body []byte, good bool) {
		fs := summed(t, body, good)
		var s state
		var err error
		if n := guard.Allocates(func() { s, err = readState(fs, "file") }); n > 100*uint64(len(body))+1<<17 {
			t.Fatalf("%d bytes allocate %d", len(body), n)
		}
		if err != nil {
			if !errors.Is(err, api.ErrCorrupt) && !errors.Is(err, api.ErrFormat) {
				t.Fatalf("%v, want ErrCorrupt or ErrFormat", err)
			}
			return
		}
		if err := writeState(fs, "", "file", s); err != nil {
			return // a time that JSON does not write
		}
		s.By = version.Version
		if back, err := readState(fs, "file"); err != nil || !reflect.DeepEqual(back, s) {
			t.Fatalf("%+v comes back as %+v, %v", s, back, err)
		}
	})
}

// A sealed value comes back under its key, and under no other.
func FuzzUnseal(f *testing.F) {
	p, err := pebble.Open("p", &pebble.Options{FS: vfs.NewMem()})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { p.Close() })
	f.Add([]byte("key"), []byte("value"), []byte("other"), []byte("sealed"))
	f.Fuzz(func(t *testing.T, key, value, other, sealed []byte) {
		if _, err := Unseal(key, sealed); err != nil && !errors.Is(err, api.ErrCorrupt) {
			t.Fatalf("%v, want ErrCorrupt", err)
		}
		b := p.NewBatch()
		defer b.Close()
		if err := SetSealed(b, key, value); err != nil {
			t.Fatal(err)
		}
		r := b.Reader()
		_, _, stored, _, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if back, err := Unseal(key, stored); err != nil || !bytes.Equal(back, value) {
			t.Fatalf("%x under %x comes back as %x, %v", value, key, back, err)
		}
		if len(other) == len(key) && !bytes.Equal(other, key) && sealOf(other, value) != sealOf(key, value) {
			if _, err := Unseal(other, stored); !errors.Is(err, api.ErrCorrupt) {
				t.Fatalf("%x is taken under %x, sealed under %x", value, other, key)
			}
		}
	})
}
