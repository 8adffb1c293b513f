package disk_test

// The damaged golden stores: one for each kind of damage, and of what a newer version writes.

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"

	"github.com/cockroachdb/pebble/v2"

	"github.com/simdb/simdb/internal/keys"
)

var goldenDamages = map[string]func(g *maker){
	"damaged-state-cut":        ofClosed("STATE", half),
	"damaged-state-missing":    ofClosed("STATE", missing),
	"damaged-manifest-missing": ofClosed("store/MANIFEST-*", missing),
	"damaged-table-flipped":    ofClosed("store/*.sst", flip),
	"damaged-table-missing":    ofClosed("store/*.sst", missing),
	"damaged-postings-flipped": ofClosed("postings/*.seg", flip),
	"damaged-postings-missing": ofClosed("postings/*.seg", missing),
	"damaged-value-changed":    changeValue,
	"damaged-log-cut":          ofUnclosed("log/*.log", cutRecord),
	"damaged-log-flipped":      ofUnclosed("log/*.log", flip),
	"damaged-log-missing":      ofUnclosed("log/*.log", missing),
	"damaged-log-torn":         ofUnclosed("log/*.log", torn),
	"damaged-mark":             ofUnclosed("log/MARK", flip),
	"damaged-history-flipped":  ofHistory("history/*.log", flip),
	"damaged-history-missing":  ofHistory("history/*.log", missing),
	"damaged-history-settings": ofHistory("history/SETTINGS", half),

	"newer-state":    ofClosed("STATE", newerState),
	"newer-log":      ofUnclosed("log/*.log", newerLog),
	"newer-history":  ofHistory("history/*.log", newerLog),
	"newer-postings": ofClosed("postings/*.seg", newerPostings),
}

// a damage makes of the content of a file another; nil removes the file.
type damage func(t *testing.T, b []byte) []byte

func ofClosed(file string, d damage) func(*maker) {
	return func(g *maker) {
		fillSmall(g)
		g.closed()
		g.damage(file, d)
	}
}

func ofUnclosed(file string, d damage) func(*maker) {
	return func(g *maker) {
		to := g.dir
		g.dir += "-open"
		fillSmall(g)
		g.closed()
		g.open(nil)
		g.fill("docs", 20, 22)
		g.fill("docs", 22, 24)
		g.copyOpen()
		g.closed()
		g.must(os.Rename(g.packed, to))
		g.dir = to
		g.damage(file, d)
	}
}

func ofHistory(file string, d damage) func(*maker) {
	return func(g *maker) {
		to := g.dir
		g.dir += "-open"
		fillHistory(g, false)
		g.closed()
		g.must(os.Rename(g.packed, to))
		g.dir = to
		g.damage(file, d)
	}
}

func fillSmall(g *maker) {
	g.open(nil)
	g.fill("docs", 0, 20)
	g.compact()
}

// damage changes the last file, by name, that the pattern fits.
func (g *maker) damage(pattern string, d damage) {
	paths, err := filepath.Glob(filepath.Join(g.dir, filepath.FromSlash(pattern)))
	g.must(err)
	if len(paths) == 0 {
		g.Fatalf("no %s in %s", pattern, g.dir)
	}
	path := paths[len(paths)-1]
	b, err := os.ReadFile(path)
	g.must(err)
	if b = d(g.T, b); b == nil {
		g.must(os.Remove(path))
		return
	}
	write(g.T, path, b)
}

func missing(*testing.T, []byte) []byte { return nil }

func half(_ *testing.T, b []byte) []byte { return b[:len(b)/2] }

func flip(_ *testing.T, b []byte) []byte {
	b[len(b)/3] ^= 0x10
	return b
}

// The header of a log segment, and the head of a frame, as package wal has them.
const (
	logHeader = 24
	frameHead = 32
)

// lastFrame is where the last record of a log segment begins.
func lastFrame(b []byte) int {
	last := 0
	for at := logHeader; at < len(b); {
		last, at = at, at+frameHead+int(binary.LittleEndian.Uint32(b[at+8:]))
	}
	return last
}

func cutRecord(_ *testing.T, b []byte) []byte { return b[:lastFrame(b)] }

// torn puts the beginning of a frame behind the last one, as a crash leaves it.
func torn(_ *testing.T, b []byte) []byte {
	return append(b, b[lastFrame(b):lastFrame(b)+frameHead+9]...)
}

var crcTable = crc32.MakeTable(crc32.Castagnoli)

func newerState(t *testing.T, b []byte) []byte {
	t.Helper()
	_, body, _ := bytes.Cut(b, []byte("\n"))
	var state map[string]any
	if err := json.Unmarshal(body, &state); err != nil {
		t.Fatal(err)
	}
	state["format"], state["by"] = 1000, "v99.0.0"
	body, err := json.Marshal(state)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Appendf(nil, "simdb %08x\n%s", crc32.Checksum(body, crcTable), body)
}

func newerLog(_ *testing.T, b []byte) []byte {
	binary.LittleEndian.PutUint32(b[8:], 1000)
	binary.LittleEndian.PutUint32(b[20:], crc32.Checksum(b[:20], crcTable))
	return b
}

func newerPostings(_ *testing.T, b []byte) []byte {
	b[len(b)-1] = '9'
	behind := len(b) - 8 - len("simdbps9")
	directory := b[behind-4-int(binary.LittleEndian.Uint64(b[behind:])) : behind-4]
	binary.LittleEndian.PutUint32(b[behind-4:], crc32.Update(crc32.Checksum(directory, crcTable), crcTable, b[behind:]))
	return b
}

// changeValue changes the metadata of a document below Pebble's checksums.
func changeValue(g *maker) {
	fillSmall(g)
	g.closed()
	p, err := pebble.Open(filepath.Join(g.dir, "store"), &pebble.Options{DisableWAL: true, FormatMajorVersion: pebble.FormatValueSeparation, Logger: quietLogger{}})
	g.must(err)
	prefix := []byte{byte(keys.Document)}
	it, err := p.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: keys.End(prefix)})
	g.must(err)
	if !it.First() {
		g.Fatal("no document")
	}
	key, value := bytes.Clone(it.Key()), bytes.Replace(it.Value(), []byte("even"), []byte("eve!"), 1)
	if bytes.Equal(value, it.Value()) {
		g.Fatal("nothing was changed")
	}
	g.must(errors.Join(it.Close(), p.Set(key, value, pebble.NoSync), p.Flush(), p.Close()))
}

type quietLogger struct{}

func (quietLogger) Infof(string, ...any)  {}
func (quietLogger) Errorf(string, ...any) {}
func (quietLogger) Fatalf(format string, args ...any) {
	panic(fmt.Sprintf(format, args...))
}
