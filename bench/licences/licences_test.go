package main

import "testing"

func TestTally(t *testing.T) {
	is := func(s string) *string { return &s }
	for _, c := range []struct {
		labels []string
		said   *string
		want   tally
	}{
		{[]string{"GPL-2.0"}, is("GPL-2.0-only"), tally{texts: 1, right: 1}},
		{[]string{"MIT"}, is("MIT"), tally{texts: 1, right: 1, exact: 1}},
		{[]string{"MIT"}, is("ISC"), tally{texts: 1, wrong: 1}},
		{[]string{"MIT"}, nil, tally{texts: 1, none: 1}},
		{nil, nil, tally{texts: 1, right: 1}},
		{nil, is("MIT"), tally{texts: 1, wrong: 1}},
	} {
		var got tally
		got.add(text{Labels: c.labels}, c.said)
		if got != c.want {
			t.Errorf("%v said %v: got %+v, want %+v", c.labels, c.said, got, c.want)
		}
	}
}
