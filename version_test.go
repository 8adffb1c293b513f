package simdb_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/simdb/simdb"
)

// The newest release of the changelog is the version of the source, and a tag that is
// released (SIMDB_RELEASE, set by the release recipe) is that version with a date.
func TestVersionIsOfTheChangelog(t *testing.T) {
	if !regexp.MustCompile(`^v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$`).MatchString(simdb.Version) {
		t.Errorf("Version %q is no version of a module", simdb.Version)
	}
	log, err := os.ReadFile("CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	newest := regexp.MustCompile(`(?m)^## \[(\d[^\]]*)\] - (.*)$`).FindStringSubmatch(string(log))
	if newest == nil {
		t.Fatal("CHANGELOG.md has no release")
	}
	if newest[1] != simdb.Version[1:] {
		t.Errorf("Version is %s, and the newest release of CHANGELOG.md is %s", simdb.Version, newest[1])
	}
	date := regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)
	if newest[2] != "not yet released" && !date.MatchString(newest[2]) {
		t.Errorf("CHANGELOG.md: %q is neither a date nor %q", newest[2], "not yet released")
	}
	if !regexp.MustCompile(`(?m)^\[` + regexp.QuoteMeta(newest[1]) + `\]: .*/` + regexp.QuoteMeta(simdb.Version) + `$`).Match(log) {
		t.Errorf("CHANGELOG.md has no link for %s", newest[1])
	}
	if tag := os.Getenv("SIMDB_RELEASE"); tag != "" && (tag != simdb.Version || !date.MatchString(newest[2])) {
		t.Errorf("release %s of the version %s, dated %q; they must be equal and dated", tag, simdb.Version, newest[2])
	}
}
