package notes

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestDiffer(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want Difference
	}{
		{"", "", None},
		{"The user prefers dark mode in their editor.", "User prefers dark mode in the editor", None},
		{"The user prefers dark mode.", "The user prefers light mode.", Word},
		{"The user is vegetarian.", "The user is a strict vegetarian", None}, // additional words are no difference
		{"hikes, hiked, hiking", "hike", None},
		{"plans to plan, skips", "planning, skipping", None},
		{"tries", "try", None},
		{"servers", "services", Word},
		{"Users may not log in.", "Users may log in.", Negation},
		{"It doesn’t run.", "It does not run", None},
		{"never without", "running", Negation},
		{"port 8080", "port 8081", Number},
		{"2 dogs, 10,000 rows, 8 GB", "two dogs; 10000 rows; 8GB", None},
		{"vote +1", "vote -1", Number},
		{"vote 1", "vote -1", Number},
		{"on 2024-01-02", "on 2024-01-03", Number},
		{"written in C", "written in C++", Number},
		{"written in C#", "written in C++", Number},
		{"blood type B", "blood type A", Number},
		{"retention = 30 days", "retention: 30 days", None}, // a lone symbol is punctuation
		{"👍 good", "👎 good", Word},
		{"good 👍", "good", None},
		{"Alice reports to Bob.", "Bob reports to Alice.", Order},
		{"from staging to production", "from production to staging", Order},
		{"In production the log level is warn.", "The log level is warn in production.", None},
		{"Jonas maintains the client.", "The client is maintained by Jonas.", None},
		{"before the deploy", "after the deploy", Word},
		{"她住在里斯本", "她住在波尔图", Word},
		{"她住在里斯本", "她住在里斯本。", None},
	} {
		if got := Differ(c.a, c.b); got != c.want {
			t.Errorf("Differ(%q, %q) = %q, want %q", c.a, c.b, got, c.want)
		}
		if got := Differ(c.b, c.a); got != c.want {
			t.Errorf("Differ(%q, %q) = %q, want %q", c.b, c.a, got, c.want)
		}
	}
}

// No pair labelled by a person as a different fact may pass for the same fact by a
// number, a negation, an opposite or another thing. bench/notes has the figures.
func TestLabelledPairs(t *testing.T) {
	b, err := os.ReadFile("../../bench/notes/pairs.tsv")
	if err != nil {
		t.Skip(err) // the module without the data
	}
	for line := range strings.Lines(string(b)) {
		c := strings.Split(strings.TrimSpace(line), "\t")
		if len(c) == 5 && c[1] == "0" && c[2] != "more" && c[2] != "role" && Differ(c[3], c[4]) == None {
			t.Errorf("nothing tells %s apart: %s", fmt.Sprint(c[:3]), c[3:])
		}
	}
}

func FuzzDiffer(f *testing.F) {
	f.Add("The user is here.", "-1 n't by 👍")
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a)+len(b) > 2000 {
			t.Skip("these are no notes")
		}
		if x, y := Differ(a, b), Differ(b, a); x != y {
			t.Errorf("Differ(%q, %q) = %q, the other way %q", a, b, x, y)
		}
		if got := Differ(a, a); got != None {
			t.Errorf("Differ(%q, itself) = %q", a, got)
		}
	})
}
