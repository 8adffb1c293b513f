package columnar

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding"

	"github.com/simdb/simdb/api"
)

// runs is a file of Arrow C++: twenty rows of an id, and of booleans in runs that do not end at a byte.
const runs = "UEFSMRUGFeABFbABXBUoFQAVKBUAFQQVABEcAAAAKAFQAQAAADAFABAxBQAQMgUAEDMFABA0BQAQNQUAEDYFABA3BQAQOAUAcTkCAAAAMTAGABExBgARMgYAETMGABE0BgARNQYAETYGABE3BgBwOAIAAAAxORUGFRgVGFwVKBUCFSgVBhUIFQASHAAAABgBA/4EAAAAFgEDAhUEGTw1ABgGc2NoZW1hFQQAFQwlAhgCaWQlAEwcAAAAFQAlAhgDeWVzABYoGRwZLCYAHBUMGSUGABkYAmlkFQ4WKBaUAhbkASYISRwVABUAFQIAPBY8GQYZJgAoAAAAJgAcFQAZFQYZGAN5ZXMVDhYoFkgWSCbsAUkcFQAVBhUCADwpBhkmAiYAAAAW3AIWKCYIFqwCACggcGFycXVldC1jcHAtYXJyb3cgdmVyc2lvbiAyNi4wLjEZLBwAABwAAADBAAAAUEFSMQ=="

// truths are the booleans of runs.
const truths = "ttttttttttt" + "f" + "n" + "t" + "ffffff"

// copyOf returns a copy of a file without every third row.
func copyOf(t *testing.T, file []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := (Reader{}).Copy(t.Context(), &b, bytes.NewReader(file), int64(len(file)), func(row int64) bool { return row%3 != 0 }); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A copy has the rows that stay, whatever the compression and the encoding.
func TestCopy(t *testing.T) {
	for _, codec := range []compress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Gzip, &parquet.Brotli, &parquet.Zstd, &parquet.Lz4Raw} {
		for _, enc := range []encoding.Encoding{&parquet.Plain, &parquet.RLEDictionary, &parquet.DeltaLengthByteArray, &parquet.DeltaByteArray} {
			for _, n := range []int{0, 95} {
				file := pagesFile(t, n, parquet.Compression(codec), parquet.DefaultEncodingFor(parquet.ByteArray, enc), parquet.KeyValueMetadata("k", "v"))
				copied := copyOf(t, file)
				got, err := read(copied, pageFields)
				var want []string
				for i, line := range pageLines(n) {
					if i%3 != 2 {
						want = append(want, line)
					}
				}
				if err != nil || !reflect.DeepEqual(got, want) {
					t.Fatalf("%v %v: %d rows, %v, want %d", codec, enc, len(got), err, len(want))
				}
				f, err := parquet.OpenFile(bytes.NewReader(copied), int64(len(copied)))
				if err != nil {
					t.Fatal(err)
				}
				if v, _ := f.Lookup("k"); v != "v" || len(f.RowGroups()) != (n+9)/10 {
					t.Errorf("%v %v: %q, %d row groups", codec, enc, v, len(f.RowGroups()))
				}
				for _, g := range f.Metadata().RowGroups {
					if got := g.Columns[0].MetaData.Codec; got != codec.CompressionCodec() {
						t.Errorf("%v became %v", codec, got)
					}
				}
			}
		}
	}
}

// Runs of booleans are read and copied as they are.
func TestRunsOfBooleans(t *testing.T) {
	file, err := base64.StdEncoding.DecodeString(runs)
	if err != nil {
		t.Fatal(err)
	}
	words := map[rune]string{'t': "true", 'f': "false", 'n': "null"}
	var want, stay []string
	for i, c := range truths {
		line := fmt.Sprintf(`{"id":"%d","yes":%s}`, i, words[c])
		if want = append(want, line); i%3 != 2 {
			stay = append(stay, line)
		}
	}
	for name, c := range map[string]struct {
		file []byte
		want []string
	}{"the file": {file, want}, "its copy": {copyOf(t, file), stay}} {
		got, err := read(c.file, api.TableFields{ID: "id", MaxBytes: 1 << 20})
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

// Damaged runs are an error.
func TestDamagedBooleans(t *testing.T) {
	for _, b := range []string{"\x01", "\x02\x00\x00\x00\x02", "\x01\x00\x00\x00\x02", "\x01\x00\x00\x00\x80"} {
		if bits, err := bitsOfRuns([]byte(b)); err == nil {
			t.Errorf("%q: %v", b, bits)
		}
	}
	if bits, err := bitsOfRuns(nil); err != nil || bits != nil {
		t.Errorf("no values: %v, %v", bits, err)
	}
}
