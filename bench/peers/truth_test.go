package main

// These tests check the exact answers and how peers are judged by them.

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
)

func TestAtLeast80(t *testing.T) {
	tests := []struct {
		a, b []uint64
		want bool
	}{
		{nil, nil, false},
		{[]uint64{1}, []uint64{1}, true},
		{[]uint64{1, 2, 3, 4}, []uint64{1, 2, 3, 4, 5}, true},
		{[]uint64{1, 2, 3}, []uint64{1, 2, 3, 4}, false},
		{[]uint64{1, 2, 3, 4, 5}, []uint64{2, 3, 4, 5, 6}, false},
	}
	for _, tt := range tests {
		if got := atLeast80(tt.a, tt.b); got != tt.want {
			t.Errorf("atLeast80(%v, %v) = %v", tt.a, tt.b, got)
		}
	}
}

func TestCompare(t *testing.T) {
	file := func(numbers ...uint32) string {
		var packed []byte
		for _, n := range numbers {
			packed = binary.LittleEndian.AppendUint32(packed, n)
		}
		name := filepath.Join(t.TempDir(), "answers")
		if err := os.WriteFile(name, packed, 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}
	exact := &truth{
		pairs: map[uint64]bool{pairOf(1, 2): true, pairOf(3, 4): true},
		lists: map[string][][]uint32{queryAnswers.file: {{1, 2}, {3}, {9}}},
	}
	tests := []struct {
		a                 answer
		file              string
		recall, precision float64
	}{
		{pairAnswers, file(2, 1, 5, 6), 0.5, 0.5},
		{pairAnswers, file(), 0, 1},
		{queryAnswers, file(1, 2, 2, 3, 4), 2. / 3, 2. / 3}, // the last query not answered
	}
	for _, tt := range tests {
		recall, precision, err := exact.compare(tt.a, tt.file)
		if err != nil || recall != tt.recall || precision != tt.precision {
			t.Errorf("compare(%s) = %v, %v, %v, want %v, %v", tt.a.what, recall, precision, err, tt.recall, tt.precision)
		}
	}
	for _, bad := range []string{file(3, 1), file(0, 0, 0, 0), file(), "nosuch"} {
		if _, _, err := exact.compare(queryAnswers, bad); err == nil {
			t.Errorf("compare takes bad answers")
		}
	}
}
