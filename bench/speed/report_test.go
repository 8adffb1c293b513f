package main

// These tests check what the report makes of figures. The figures themselves are
// of no matter here.

import (
	"flag"
	"math"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "rewrite testdata")

// A report of a few figures, whole. -update rewrites it; read the difference.
func TestReport(t *testing.T) {
	own := []figure{
		{Name: "machine", Note: "a processor, 2 cores, 8 GB of memory"},
		{Name: "vectors", Note: "avx avx2 bmi2"},
		{Name: "go", Note: "go1.26"},
		{Name: "Put beyond the write and sync", Documents: 10_000, Cores: 2, Value: 75, Unit: "µs"},
		{Name: "disk", Documents: 10_000, Cores: 2, Value: 2.5, Unit: "kB/doc"},
		{Name: "disk", Documents: 100_000, Cores: 2, Value: 2.125, Unit: "kB/doc"},
		{Name: "SIMILAR PAIRS, word 3, 0.8", Documents: 10_000, Cores: 2, Value: 0.05, Unit: "s"},
		{Name: "SIMILAR PAIRS, word 3, 0.8", Documents: 100_000, Cores: 2, Value: 1.5, Unit: "s"},
		{Name: "SIMILAR PAIRS, word 3, 0.8", Documents: 100_000, Cores: 2, Value: 1.25, Unit: "s"},
		{Name: "SIMILAR PAIRS, word 3, 0.8", Documents: 100_000, Cores: 2, Value: 1.75, Unit: "s"},
		{Name: "SIMILAR PAIRS, word 3, 0.8", Documents: 100_000, Cores: 1, Value: 2.5, Unit: "s"},
	}
	peers := []figure{
		{Name: "load and index", Peer: "simdb", Documents: 10_000, Cores: 1, Value: 15000, Unit: "docs/s"},
		{Name: "sketching", Peer: "datasketch", Documents: 10_000, Cores: 1, Value: 2000, Unit: "docs/s"},
		{Name: "version", Peer: "datasketch", Documents: 10_000, Cores: 1, Note: "2.0.0"},
		{Name: "pairs recall", Peer: "datasketch", Documents: 10_000, Cores: 1, Value: 0.9},
		{Name: "containment 0.8 recall", Peer: "datasketch", Question: "containment", Documents: 10_000, Cores: 1, Value: 0.8},
		{Name: "failed", Peer: "another", Documents: 10_000, Cores: 1, Note: "took longer than 10m0s"},
	}
	dir := t.TempDir()
	if err := reportOf(own, peers).Write(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"RESULTS.md", "growth.csv", "growth-bytes.csv"} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		golden := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(golden, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s differs from %s:\n%s", name, golden, got)
		}
	}
}

func TestMisses(t *testing.T) {
	tests := []struct {
		t    target
		v    float64
		want float64
	}{{target{most: 10}, 5, 0.5}, {target{most: 10}, 20, 2}, {target{least: 10}, 5, 2}, {target{least: 10}, 20, 0.5}}
	for _, tt := range tests {
		if got := tt.t.misses(summary{median: tt.v}); got != tt.want {
			t.Errorf("%+v.misses(%v) = %v, want %v", tt.t, tt.v, got, tt.want)
		}
	}
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 1234567: "1234567", 123.4: "123", 12.34: "12.3", 1.234: "1.23", 0.01234: "0.0123", -4.56: "-4.56"} {
		if got := number(v); got != want {
			t.Errorf("number(%v) = %s, want %s", v, got, want)
		}
	}
}

func TestExponent(t *testing.T) {
	x := []float64{10, 100, 1000}
	for _, want := range []float64{0, 0.5, 1, 2} {
		var y []float64
		for _, v := range x {
			y = append(y, 3*math.Pow(v, want))
		}
		if got, ok := exponent(x, y); !ok || math.Abs(got-want) > 1e-9 {
			t.Errorf("exponent = %v, %v, want %v", got, ok, want)
		}
	}
	if _, ok := exponent([]float64{5, 5}, []float64{1, 2}); ok {
		t.Errorf("one x has an exponent")
	}
	if _, ok := exponent([]float64{5, 6}, []float64{0, 2}); ok {
		t.Errorf("a figure of 0 has an exponent")
	}
}

func TestAt(t *testing.T) {
	for _, tt := range []struct{ n, percent, want int }{{1, 50, 1}, {1, 99, 1}, {2, 50, 2}, {5, 50, 3}, {100, 99, 100}, {1000, 99, 991}, {1000, 50, 501}} {
		values := make([]int, tt.n)
		for i := range values {
			values[i] = i + 1
		}
		if got := at(values, tt.percent); got != tt.want {
			t.Errorf("at(1…%d, %d) = %d, want %d", tt.n, tt.percent, got, tt.want)
		}
	}
}
