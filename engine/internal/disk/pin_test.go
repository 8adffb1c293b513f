package disk

import (
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A mark that was not there when it was read, and is there now, may be ahead of the log.
func TestPinsTellANewerMark(t *testing.T) {
	p := &pins{FS: vfs.NewMem(), files: map[string]pin{"db/log/MARK": {}}}
	if !p.newer(map[string][]byte{"db/STATE": nil}, "db") {
		t.Error("a mark that came meanwhile is taken")
	}
	if p.newer(map[string][]byte{"db/log/MARK": nil}, "db") {
		t.Error("a mark that was read before is called newer")
	}
}
