package main

// An output that cannot be written ends every command that prints rows with an error.

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/simdb/simdb/cmd/simdb/internal/exit"
)

// printing has a line for every command that writes to standard output. DB keeps its log and a
// ledger, DIR is a folder, FILE a file.
var printing = []string{
	"compare FILE FILE", "completion bash", "dedupe DIR", "dedupe DB", "demo", "dump DB", "evaluate DB TRUTH", "export DB", "get DB 1.txt",
	"get --meta DB 1.txt", "help", "import --dry-run NEW DIR", "keep-log DB", "ledger verify DB", "mark DB", "query DB STATEMENT", "query --format csv DB STATEMENT",
	"query --format arrow DB STATEMENT", "query --format parquet DB STATEMENT", "query DB EXPLAIN", "render FILE", "report DIR", "stats DB", "stats --format json DB", "tail DB", "verify TRUTH DIR", "version", "--version", "--help", "scale --help",
}

// unprinting names the commands that write to standard output only their help and defects, or hold a conversation.
var unprinting = strings.Fields("backup check compact man mcp restore salvage scale serve shell sync")

func TestUnwritableOutput(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := os.Mkdir(at("dir"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"dir/1.txt": "one and the same text\n", "dir/2.txt": "one and the same text\n", "truth.csv": "a,b\n1.txt,2.txt\n",
	} {
		if err := os.WriteFile(at(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	words := map[string]string{
		"DB": at("db"), "DIR": at("dir"), "FILE": at("dir/1.txt"), "NEW": at("new"), "TRUTH": at("truth.csv"),
		"STATEMENT": "SELECT * FROM c", "EXPLAIN": "EXPLAIN SIMILAR TO '1.txt'",
	}
	do := func(line string, out *os.File) (int, string) {
		args := strings.Fields(line)
		for i, a := range args {
			if w, ok := words[a]; ok {
				args[i] = w
			}
		}
		var stderr bytes.Buffer
		code := run(args, strings.NewReader(""), out, &stderr)
		return code, stderr.String()
	}
	none, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer none.Close()
	for _, line := range []string{"import DB DIR", "query DB CREATE", "import --in c DB DIR", "keep-log --age 24h DB", "import DB FILE"} {
		words["CREATE"] = "CREATE COLLECTION c WITH (ledger = on)"
		if code, stderr := do(line, none); code != 0 {
			t.Fatalf("%s = %d: %s", line, code, stderr)
		}
	}
	for _, line := range printing {
		if code, stderr := do(line, none); code != 0 {
			t.Errorf("%s = %d: %s", line, code, stderr)
		}
	}
	r, closed, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer closed.Close()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	for _, line := range printing {
		if code, stderr := do(line, closed); code != exit.Unread || strings.Contains(stderr, "simdb: ") {
			t.Errorf("%s into a closed pipe = %d, want %d, without a message: %s", line, code, exit.Unread, stderr)
		}
	}
	if runtime.GOOS == "linux" {
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer full.Close()
		for _, line := range printing {
			if code, stderr := do(line, full); code != exit.Rejected || !strings.Contains(stderr, "free some space there") {
				t.Errorf("%s to a full disk = %d, want %d: %s", line, code, exit.Rejected, stderr)
			}
		}
	}
	for _, c := range newRoot().Commands() {
		if !c.Hidden && !slices.Contains(unprinting, c.Name()) && !slices.ContainsFunc(printing, func(line string) bool { return strings.HasPrefix(line+" ", c.Name()+" ") }) {
			t.Errorf("%s is in neither list", c.Name())
		}
	}
}

// A symbolic link to nothing is named, and so is its target.
func TestLinkToNothing(t *testing.T) {
	dir := t.TempDir()
	link, file := filepath.Join(dir, "l.jsonl"), filepath.Join(dir, "a.txt")
	if err := os.WriteFile(file, []byte("a text"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere", link); err != nil {
		t.Skipf("this system makes no link: %v", err)
	}
	for _, args := range [][]string{
		{"query", link, "SELECT *"}, {"import", link, file}, {"import", filepath.Join(dir, "db"), link}, {"dedupe", link}, {"report", link}, {"serve", link}, {link},
		{"restore", filepath.Join(dir, "db"), link}, {"sync", link, dir}, {"sync", filepath.Join(dir, "db"), link}, {"compare", link, file}, {"render", link}, {"keep-log", link},
		{"salvage", link, filepath.Join(dir, "new")}, {"check", link}, {"backup", link, filepath.Join(dir, "new")},
	} {
		var stderr bytes.Buffer
		if code := run(args, strings.NewReader(""), &bytes.Buffer{}, &stderr); code == 0 || !strings.HasSuffix(stderr.String(), link+" is a symbolic link to nowhere, which does not exist; mend or remove the link\n") {
			t.Errorf("%q = %d: %s", args, code, &stderr)
		}
	}
}
