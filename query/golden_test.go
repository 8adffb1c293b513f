package query

// Files of cases, which the tests of this package go through.

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the answers of testdata anew")

// golden goes through a file of cases: an input, a line of dashes, the answer,
// an empty line. With -update it writes the answers.
func golden(t *testing.T, file string, answer func(input string) string) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	cases := 0
	for block := range strings.SplitSeq(strings.TrimSpace(string(b)), "\n\n") {
		input, want, ok := strings.Cut(strings.TrimLeft(block, "\n"), "\n----")
		if !ok {
			t.Fatalf("%s: no answer to %q", file, block)
		}
		want = strings.TrimPrefix(want, "\n")
		got := strings.TrimRight(answer(input), "\n")
		if !*update && got != want {
			t.Errorf("%s:\n%s\ngot\n%s\nwant\n%s", file, input, got, want)
		}
		out.WriteString(input + "\n----\n" + got + "\n\n")
		cases++
	}
	if cases < 5 {
		t.Errorf("%s: only %d cases", file, cases)
	}
	if *update {
		if err := os.WriteFile(file, []byte(strings.TrimRight(out.String(), "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
