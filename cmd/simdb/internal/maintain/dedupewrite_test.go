package maintain

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file of which the compared records are no longer at their lines is not written as if they were.
func TestWriteChanged(t *testing.T) {
	for name, change := range map[string]string{"longer": "{}\n{}\n{}\n{}\n", "other line ends": "{}\r{}\r{}\r", "": "{}\n{}\n{}\n"} {
		path := filepath.Join(t.TempDir(), "x.jsonl")
		write := func(text string) os.FileInfo {
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			return info
		}
		s := &source{path: path, name: "x.jsonl", kind: "JSON lines", units: []unit{{line: 1}, {line: 2, goes: true}, {line: 3}}}
		s.as = write("{}\n{}\n{}\n")
		if now := write(change); name == "other line ends" || name == "" {
			s.as = now
		}
		var out bytes.Buffer
		err := s.write(t.Context(), &out)
		if name == "" && (err != nil || out.String() != "{}\n{}\n") || name != "" && (err == nil || !strings.HasPrefix(err.Error(), "x.jsonl: ")) {
			t.Errorf("%s: %q, %v", name, &out, err)
		}
	}
}
