package main

// These tests check the brute force by hand, as all else is checked against it.

import (
	"slices"
	"strings"
	"testing"
)

func TestBrute(t *testing.T) {
	b := newBrute(analysis{"word", 1}, []document{
		{ID: "d", Text: "one two three four"},
		{ID: "c", Text: "four three two five"},
		{ID: "b", Text: "six seven"},
		{ID: "a", Text: "two four one three"},
		{ID: "e", Text: ""},
	})
	half := threshold{1, 2}
	want := []row{{"a", "d", 4, 4, 4}, {"a", "c", 3, 5, 5}, {"c", "d", 3, 5, 5}}
	if got := b.pairs(half); !slices.Equal(got, want) {
		t.Errorf("pairs(1/2) = %v, want %v", got, want)
	}
	if got := b.pairs(threshold{3, 5}); len(got) != 3 {
		t.Errorf("pairs(3/5) has %d rows, want 3: the threshold itself counts", len(got))
	}
	want = []row{{"a", "", 4, 4, 4}, {"c", "", 3, 5, 5}}
	if got := b.search("one two three four", "d", half, ofUnion); !slices.Equal(got, want) {
		t.Errorf("search(d, 1/2) = %v, want %v", got, want)
	}
	want = []row{{"b", "", 2, 3, 3}}
	if got := b.search("seven eight six", "", half, ofUnion); !slices.Equal(got, want) {
		t.Errorf("search with an unknown shingle = %v, want %v", got, want)
	}
	want = []row{{"a", "", 1, 4, 1}, {"c", "", 1, 4, 1}, {"d", "", 1, 4, 1}}
	if got := b.search("four", "", half, ofQuery); !slices.Equal(got, want) {
		t.Errorf("search by containment of the query = %v, want %v", got, want)
	}
	if got := b.search("four", "", half, ofDoc); got != nil {
		t.Errorf("search by containment of the document = %v, want none", got)
	}
	want = []row{{"e", "", 1, 1, 1}}
	if got := b.search(" ", "", threshold{0, 1}, ofUnion); !slices.Equal(got, want) {
		t.Errorf("search of an empty text = %v, want %v", got, want)
	}
}

func TestChange(t *testing.T) {
	docs := []document{}
	for i := range 300 {
		docs = append(docs, document{ID: string(rune('a' + i)), Text: strings.Repeat("x", i)})
	}
	put, remove := (&verifier{seed: 1}).change(docs)
	if len(remove) != 100 || len(put) != 110 {
		t.Errorf("change removes %d and stores %d of 300, want 100 and 110", len(remove), len(put))
	}
	if now := apply(docs, put, remove); len(now) != 210 {
		t.Errorf("apply leaves %d documents, want 210", len(now))
	}
}

func TestDifference(t *testing.T) {
	x, y := row{"a", "b", 1, 2, 2}, row{"a", "b", 1, 3, 3}
	for _, tt := range []struct {
		got, want []row
		differ    bool
	}{{nil, nil, false}, {[]row{x}, []row{x}, false}, {[]row{x}, []row{y}, true}, {[]row{x}, nil, true}, {nil, []row{x}, true}} {
		if got := difference(tt.got, tt.want); (got != "") != tt.differ {
			t.Errorf("difference(%v, %v) = %q, want one: %v", tt.got, tt.want, got, tt.differ)
		}
	}
}
