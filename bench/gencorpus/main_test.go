package main

// This test checks the command's lines.

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/simdb/simdb/internal/corpus"
)

func TestWrite(t *testing.T) {
	const seed, n = 4, 23
	var out bytes.Buffer
	if err := write(&out, generated(seed, 0, n)); err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n"))
	if len(lines) != n {
		t.Fatalf("write of %d documents writes %d lines", n, len(lines))
	}
	for i, line := range lines {
		var got struct {
			ID, Text, Of string
			Kind         corpus.Kind
			Percent      int
		}
		if err := json.Unmarshal(line, &got); err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		if want := corpus.At(seed, i); got.ID != want.ID || got.Text != want.Text || got.Of != want.Of || got.Kind != want.Kind || got.Percent != want.Percent {
			t.Errorf("seed %d: line %d = %+v, want %+v", seed, i+1, got, want)
		}
	}
}
