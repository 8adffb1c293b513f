// Manifests and whole files of segments, of any bytes.

package segment

import (
	"encoding/json"
	"errors"
	"hash/crc32"
	"reflect"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/durable"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/guard"
)

func FuzzDecodeManifest(f *testing.F) {
	f.Add([]byte(`{"order":1,"ordered":5,"built":16,"segments":[{"number":1,"lo":0,"hi":8,"sets":8},{"number":3,"lo":8,"hi":16,"sets":7}]}`))
	f.Add([]byte(`{"built":4294967295,"segments":[{"lo":0,"hi":4294967295}]}`))
	f.Add([]byte(`{}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := decodeManifest(b)
		if err != nil {
			if !errors.Is(err, api.ErrCorrupt) {
				t.Fatalf("%v, want ErrCorrupt", err)
			}
			return
		}
		again, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := decodeManifest(again); err != nil || !reflect.DeepEqual(back, m) && len(m.Segments) > 0 {
			t.Fatalf("%s comes back as %+v, %v", b, back, err)
		}
	})
}

// A file that opens has its pages in it; reading them is an error, or a page. With mend the
// sum of the directory is put right first.
func FuzzSegmentFile(f *testing.F) {
	run := (&index.Run{First: []uint64{3}, Entries: 2}).Encode()
	page := []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	good := slices.Concat(page, le.AppendUint32(nil, crc32.Checksum(page, durable.Castagnoli)))
	directory := slices.Concat([]byte{7, 0, 0, 0, byte(index.Prefix), byte(len(run))}, run, []byte{1, 0, 0, byte(len(page)), factsKind})
	for _, version := range []string{segmentVersion, "5", "0"} {
		behind := append(le.AppendUint64(nil, uint64(len(directory))), segmentMagic[:len(segmentMagic)-1]+version...)
		file := slices.Concat(good, directory, le.AppendUint32(nil, trailerSum(directory, behind)), behind)
		f.Add(file, false)
		f.Add(file, true)
	}
	f.Add([]byte("simdbps"+segmentVersion), false)
	f.Fuzz(func(t *testing.T, b []byte, mend bool) {
		b = slices.Clone(b)
		if behind := len(b) - 8 - len(segmentMagic); mend && behind >= checksumBytes {
			if n := le.Uint64(b[behind:]); n <= uint64(behind-checksumBytes) {
				at := behind - checksumBytes
				le.PutUint32(b[at:], trailerSum(b[uint64(at)-n:at], b[behind:]))
			}
		}
		fs := vfs.NewMem()
		w, err := fs.Create("f", vfs.WriteCategoryUnspecified)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(b); err != nil {
			t.Fatal(err)
		}
		w.Close()
		var file *segmentFile
		if n := guard.Allocates(func() { file, err = openSegmentFile(fs, "f") }); n > 100*uint64(len(b))+1<<18 {
			t.Fatalf("%d bytes allocate %d", len(b), n)
		}
		if err != nil {
			if !errors.Is(err, api.ErrCorrupt) && !errors.Is(err, api.ErrFormatTooNew) {
				t.Fatalf("%v, want ErrCorrupt or ErrFormatTooNew", err)
			}
			return
		}
		defer file.close()
		for k, run := range file.runs {
			for n := 0; run != nil && n < len(run.First); n++ {
				if _, err := file.read(index.Kind(k), n, nil); err != nil && !errors.Is(err, api.ErrCorrupt) {
					t.Fatalf("page %d of run %d: %v, want ErrCorrupt", n, k, err)
				}
			}
		}
	})
}
