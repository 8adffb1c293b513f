package load

import (
	"fmt"
	"strings"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
)

// A record with metadata over the limit is a reject, and the import continues. Metadata at the
// limit is stored, as is a long but sparse value.
func TestImportRejectsTooMuchMetadata(t *testing.T) {
	db := openTemp(t, nil)
	field := func(bytes int) string { return strings.Repeat("x", bytes-len(`{"a":""}`)) }
	lines := fmt.Sprintf(`{"id":"most","text":"one text","a":%q}
{"id":"more","text":"another","a":%q}
{"id":"names","text":"a third","many":{%s"last":1}}
{"id":"last","text":"a fourth","a":"\u0001"}
`, field(engine.MaxMetaBytes), field(engine.MaxMetaBytes+1), strings.Repeat(`"a rather long name":true,`, 50_000))
	var rejects []string
	stats, err := ImportReader(t.Context(), db, "lines.jsonl", strings.NewReader(lines), api.ImportOptions{OnReject: func(r api.Reject) { rejects = append(rejects, r.ID+": "+r.Reason) }})
	if err != nil {
		t.Fatal(err)
	}
	if stats.Imported != 3 || len(rejects) != 1 || !strings.HasPrefix(rejects[0], "more: too large: metadata") {
		t.Errorf("imported %d, rejects %q", stats.Imported, rejects)
	}
}
