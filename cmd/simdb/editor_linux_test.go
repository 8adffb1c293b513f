package main

// The line editor on a real terminal: keys, completion between quotes, search, other sizes,
// and the pager.

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/simdb/simdb/cmd/simdb/internal/output"
)

// onStore starts the shell on a small database in a folder of its own.
func onStore(t *testing.T, env ...string) (*terminal, string) {
	t.Helper()
	dir := t.TempDir()
	db := filepath.Join(dir, "t.simdb")
	load := exec.Command("simdb", "import", "--quiet", db, "-")
	load.Stdin = strings.NewReader(`{"id":"notes/it's.txt","text":"one two three four five"}
{"id":"notes/other.txt","text":"one two three four six"}
{"id":"日本語","text":"一 二 三 四"}
`)
	if out, err := load.CombinedOutput(); err != nil {
		t.Fatalf("import: %v\n%s", err, out)
	}
	if err := os.WriteFile(filepath.Join(dir, "draft.txt"), []byte("one two three four five"), 0o666); err != nil {
		t.Fatal(err)
	}
	x := onTerminal(t, append([]string{"XDG_STATE_HOME=" + dir, "TERM=xterm", "NO_COLOR=1", "PAGER=cat"}, env...), "shell", db)
	x.until(ready)
	return x, dir
}

// resize changes the size of the terminal, which sends a signal to the shell.
func (x *terminal) resize(rows, columns uint16) {
	x.t.Helper()
	size := [4]uint16{rows, columns, 0, 0}
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, x.master.Fd(), syscall.TIOCSWINSZ, uintptr(unsafe.Pointer(&size))); errno != 0 {
		x.t.Fatal(errno)
	}
}

// A statement is coloured during editing, unless --color or NO_COLOR forbid it.
func TestStatementInColour(t *testing.T) {
	x, _ := onStore(t, "NO_COLOR=")
	x.types("SELECT id FROM docs WHERE id = 'x' LIMIT 1", "\x1b[1mSELECT", "\x1b[32m'x'", "\x1b[36m1")
	x.types(";\r", "\x1b[1mid", ready)
	x.types("quit\r")
	x.exits()
}

// Neither Escape nor an incomplete sequence swallows the next key.
func TestEscapeSwallowsNothing(t *testing.T) {
	x, _ := onStore(t)
	x.types("never run\x1b", "run")
	x.types("\x03", "\r\n", ready)
	x.types("SELECT count(*) FROM docs;\r", "(1 row)", ready)
	x.types("SELECT count(*) \x1b[9\x03", "\r\n", ready) // a sequence cut short
	x.types("SELECT count(*) FROM docs;\r", "(1 row)", ready)
	x.types("SELECT xcount(*) FROM docs;\x1b[H\x1b[1;5C\x1b[C\x1b[3~\x1b[F\r", "(1 row)", ready) // home, a word on, right, delete, end
	for _, word := range []string{"help", "HELP;", "?"} {
		x.types(word+"\r", ".timer", ready)
	}
	x.types("exit\r")
	x.exits()
}

// No key is lost of statements that are typed, or pasted, ahead of their answers.
func TestNoKeyIsLost(t *testing.T) {
	x, _ := onStore(t)
	var all strings.Builder
	for i := range 200 {
		fmt.Fprintf(&all, "SELECT id FROM docs WHERE id = 'k%03d' OR id = '日本語' LIMIT 1;\r", i)
	}
	go x.master.WriteString(all.String())
	for range 200 {
		x.until("(1 row)")
	}
	x.until(ready)
	long := strings.Repeat("'ab', ", 2000) // more than a terminal takes in a line of its own
	x.types("\x1b[200~SELECT id FROM docs\rWHERE id IN ("+long+"'日本語');\r\x1b[201~", "(1 row)", ready)
	x.types("quit\r")
	x.exits()
}

// Between quotes Tab offers ids and files, elsewhere words.
func TestTabBetweenQuotes(t *testing.T) {
	x, dir := onStore(t)
	x.types("SIMILAR TO 'no\t", "notes/")
	x.types("i\t", "it''s.txt' ")
	x.types("WHERE sim > 0;\r", "notes/other.txt", "(1 row)", ready)
	x.types("SIMILAR TO FILE '"+dir+"/dr\t", "draft.txt' ")
	x.types("WHERE sim = 1;\r", "notes/it's.txt", "(1 row)", ready)
	x.types("SIMILAR TO TEXT 'sel\t", "sel")
	x.types("ect' WHERE sim > 0;\r", "fewer than 3 words", ready)
	x.types("SIMILAR TO 'notes/\t", "notes/it''s.txt  notes/other.txt", ready)
	x.types("\x03", "\r\n", ready)
	x.types("\x04")
	x.exits()
}

// Ctrl-R finds a line of the history, older ones when pressed again; Escape gives back what
// was being typed.
func TestHistorySearch(t *testing.T) {
	x, _ := onStore(t)
	x.types("SELECT id FROM docs LIMIT 1;\r", "(1 row)", ready)
	x.types("SHOW COLLECTIONS;\r", "(1 row)", ready)
	x.types("SELECT id FROM docs LIMIT 2;\r", "(2 rows)", ready)
	x.types("\x12select", "search: select → SELECT id FROM docs LIMIT 2;")
	x.types("\x12", "LIMIT 1;")
	x.types("\r", "(1 row)", ready)
	x.types("typed\x12show", "SHOW COLLECTIONS;")
	x.types("\x1b", "typed")
	x.types("\x03", "\r\n", ready)
	x.types("\x12colle\x05 \r", "SHOW COLLECTIONS; ", "(1 row)", ready)
	x.types("\x04")
	x.exits()
}

// A terminal of another size has the line, and then the tables, in its width.
func TestResize(t *testing.T) {
	x, _ := onStore(t)
	x.types("SELECT id, size, shingles FROM docs WHERE id = 'notes/other.txt' OR id = '日本語'", "日本語'")
	x.resize(24, 40)
	x.until("simdb> SELECT id, size, shingles FROM do\r\ncs WHERE") // 40 columns
	x.resize(24, 60)
	x.until("simdb> SELECT id, size, shingles FROM docs WHERE id = 'notes\r\n/other") // 60
	x.types(";\r", "(2 rows)", ready)
	x.types(".mode box\r", ready)
	x.types("SELECT * FROM si_view WHERE similarity > 0 LIMIT 1;\r", "(1 row)", ready)
	s := x.screen.String()
	for line := range strings.Lines(s[strings.LastIndex(s, "┌"):strings.LastIndex(s, "┘")]) {
		if w := output.TextWidth(strings.TrimRight(line, "\r\n")); w > 60 {
			t.Errorf("a line of %d columns on a terminal of 60: %q", w, line)
		}
	}
	x.types("\x04")
	x.exits()
}

// An answer longer than the terminal goes to the pager, a shorter one does not.
func TestPager(t *testing.T) {
	x, _ := onStore(t, "PAGER=sed s/^/paged:/")
	x.types("SELECT id FROM docs;\r", "\x1b[?2004lid", "(3 rows)", ready)
	x.resize(5, 80)
	x.types("SELECT id FROM docs;\r", "paged:id", "paged:(3 rows)", ready)
	x.types(".pager off\r", ready)
	x.types("SELECT id FROM docs;\r", "\x1b[?2004lid", "(3 rows)", ready)
	x.types("\x04")
	x.exits()
}
