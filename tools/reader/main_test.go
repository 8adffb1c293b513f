package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const golden = "../../engine/internal/disk/testdata/golden"

// The dumps of all golden stores are those of simdb dump, which TestGolden of the engine
// holds to be the files beside the stores.
func TestDumpsAreThoseOfSimdb(t *testing.T) {
	dumps, err := filepath.Glob(golden + "/*/*.ndjson")
	if err != nil || len(dumps) < 5 {
		t.Fatalf("golden dumps: %v, %v", dumps, err)
	}
	for _, path := range dumps {
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if err := dump(&got, unpacked(t, strings.TrimSuffix(path, ".ndjson"))); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for i, line := range strings.Split(got.String(), "\n") {
			if wants := strings.Split(string(want), "\n"); i >= len(wants) || line != wants[i] {
				t.Fatalf("%s: line %d is\n%s", path, i+1, line)
			}
		}
		if !bytes.Equal(got.Bytes(), want) {
			t.Errorf("%s: another dump", path)
		}
	}
}

// What is damaged where documents are is an error, and no dump.
func TestDamageIsAnError(t *testing.T) {
	for _, name := range []string{"damaged-state-cut", "damaged-value-changed", "newer-state", "newer-log"} {
		if err := dump(new(bytes.Buffer), unpacked(t, golden+"/next/"+name)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Nothing of simdb's is part of the program.
func TestImportsNothingOfSimdb(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for p := range strings.Lines(string(out)) {
		if p = strings.TrimSpace(p); strings.HasPrefix(p, "github.com/simdb/") && p != "github.com/simdb/simdb/tools/reader" {
			t.Errorf("it imports %s", p)
		}
	}
}

func unpacked(t *testing.T, name string) (dir string) {
	t.Helper()
	f, err := os.Open(name + ".tar.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err != nil { // the end
			return dir
		}
		path := filepath.Join(dir, filepath.FromSlash(h.Name))
		var b bytes.Buffer
		if _, err := b.ReadFrom(r); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
