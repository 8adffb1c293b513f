// The file SETTINGS, of any bytes.

package history

import (
	"errors"
	"fmt"
	"hash/crc32"
	"reflect"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/durable"
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

func FuzzHistorySettings(f *testing.F) {
	f.Add([]byte(`{"since":3,"of":[{"seq":3,"settings":"AAEC"},{"seq":9,"settings":null}]}`), true)
	f.Add([]byte(`{"since":-3}`), true)
	f.Add([]byte("simdb 00000000\n{}"), false)
	f.Fuzz(func(t *testing.T, body []byte, good bool) {
		fs := summed(t, body, good)
		s, err := readSettings(fs, "file")
		if err != nil {
			if !errors.Is(err, api.ErrCorrupt) {
				t.Fatalf("%v, want ErrCorrupt", err)
			}
			return
		}
		if err := durable.WriteSummed(fs, "", "file", s); err != nil {
			t.Fatal(err)
		}
		if back, err := readSettings(fs, "file"); err != nil || !reflect.DeepEqual(back, s) {
			t.Fatalf("%+v comes back as %+v, %v", s, back, err)
		}
	})
}
