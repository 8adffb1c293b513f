package main

// This test runs peers that fail, take too long or hold too much.

import "testing"

// A peer that fails, takes too long or holds too much is told apart.
func TestStart(t *testing.T) {
	r := &runner{options: options{limits: limits{time: 2e8, memory: 1 << 40}}}
	for script, want := range map[string]string{
		"echo oh no >&2; exit 3":              "exit status 3: oh no",
		"exec sleep 5":                        "took longer than 200ms",
		"echo '{\"name\":\"a\",\"value\":1}'": "",
		"echo '{\"name\":'":                   "unexpected EOF",
	} {
		figures, err := r.start(t.Context(), []string{"sh", "-c", script}, 2)
		if got := message(err); got != want {
			t.Errorf("%s: %q, want %q", script, got, want)
		}
		if err == nil && len(figures) == 0 {
			t.Errorf("%s: no figures", script)
		}
	}
	r.limits = limits{time: 1e10, memory: 1}
	if _, err := r.start(t.Context(), []string{"sleep", "5"}, 2); message(err) != "held more than 0 GB of memory" {
		t.Errorf("a greedy peer: %v", err)
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
