package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"testing"
)

const (
	roof   = "Shingles overlap like those on a roof.\nEach hides a part of the next, and so the rain stays out.\n"
	bridge = "A bridge of stone stands by its weight alone.\nTake one stone out of the arch, and it falls.\n"
)

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestCheckIn(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "roof.txt", roof)
	write(t, "bridge.txt", bridge)
	write(t, "copy.txt", "My notes.\n"+roof)
	steps := []struct {
		args  []string
		taken bool
		want  string
	}{
		{[]string{"texts.simdb", "roof.txt", "bridge.txt"}, true, "roof.txt is taken in\nbridge.txt is taken in\n"},
		{[]string{"texts.simdb", "roof.txt"}, true, "roof.txt is taken in\n"}, // it may change
		{[]string{"texts.simdb", "copy.txt"}, false, "copy.txt is like roof.txt: 18 of 20 shingles in common\n" +
			"  copy.txt:2 and roof.txt:1, 96 characters: \"Shingles overlap like those on a roof. Each …\"\n"},
		{[]string{"-min", "0.95", "texts.simdb", "copy.txt"}, true, "copy.txt is taken in\n"},
		{[]string{"texts.simdb", "roof.txt"}, false, ""},
	}
	for _, s := range steps {
		var out bytes.Buffer
		taken, err := run(t.Context(), s.args, &out)
		if err != nil || taken != s.taken || s.want != "" && out.String() != s.want {
			t.Errorf("checkin %q = %v, %v, prints\n%swant %v\n%s", s.args, taken, err, out.String(), s.taken, s.want)
		}
	}
	if _, err := run(t.Context(), []string{"texts.simdb", "none.txt"}, os.Stdout); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is missing: %v", err)
	}
	if _, err := run(t.Context(), []string{"texts.simdb"}, os.Stdout); err == nil {
		t.Errorf("no file: no error")
	}
}
