package main

// Ctrl-C during imports and queries.

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
)

// start runs the command, whose input and output the test keeps open.
func start(t *testing.T, args ...string) (*exec.Cmd, io.WriteCloser, io.ReadCloser, io.ReadCloser) {
	t.Helper()
	cmd := exec.Command("simdb", args...)
	stdin, err1 := cmd.StdinPipe()
	stdout, err2 := cmd.StdoutPipe()
	stderr, err3 := cmd.StderrPipe()
	if err := errors.Join(err1, err2, err3, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	return cmd, stdin, stdout, stderr
}

// needInterrupts skips a test where a process cannot send Ctrl-C to another.
func needInterrupts(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("Go cannot send Ctrl-C to a process on Windows")
	}
}

func exitCode(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	err := cmd.Wait()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode()
}

func documents(from, to int, text string) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, `{"id":"d%d","text":%q}`+"\n", i, text)
	}
	return b.String()
}

// differing is documents of 200 words each, some of them common.
func differing(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"id":"d%d","text":"they all begin with these words`, i)
		for j := range 200 {
			fmt.Fprintf(&b, " w%d", i*j%10007)
		}
		b.WriteString("\"}\n")
	}
	return b.String()
}

// An import ended by Ctrl-C reports its state and how to continue, and continuing
// brings the rest.
func TestInterruptedImport(t *testing.T) {
	needInterrupts(t)
	db := filepath.Join(t.TempDir(), "i.simdb")
	cmd, stdin, stdout, stderr := start(t, "import", db, "-")
	input := "{\"id\":\"bad\"}\n" + documents(0, 2000, "one text and another")
	go io.WriteString(stdin, input) // never closed: the import waits for more
	go io.Copy(io.Discard, stdout)
	said := bufio.NewReader(stderr)
	if line, err := said.ReadString('\n'); err != nil || !strings.Contains(line, "rejected") {
		t.Fatalf("first line %q, %v, want the reject, which is told once its batch is stored", line, err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(said)
	if err != nil {
		t.Fatal(err)
	}
	if code := exitCode(t, cmd); code != exit.CtrlC || !bytes.Contains(rest, []byte("--resume")) {
		t.Fatalf("exit code %d, want %d; stderr:\n%s", code, exit.CtrlC, rest)
	}

	stored, err := exec.Command("simdb", "query", "--format", "csv", db, "SELECT count(*) FROM docs").Output()
	if err != nil {
		t.Fatal(err)
	}
	count, err := strconv.ParseInt(strings.TrimPrefix(strings.TrimSpace(string(stored)), "count\n"), 10, 64)
	if want := "imported " + output.Thousands(count) + " · "; err != nil || !bytes.Contains(rest, []byte(want)) {
		t.Errorf("%d documents are stored, %v; stderr:\n%s", count, err, rest)
	}

	resume := exec.Command("simdb", "import", "--resume", db, "-")
	resume.Stdin = strings.NewReader(input)
	if out, err := resume.CombinedOutput(); err != nil {
		t.Fatalf("resume: %v\n%s", err, out)
	}
	out, err := exec.Command("simdb", "query", "--format", "csv", db, "SELECT count(*) FROM docs").Output()
	if err != nil || !strings.HasSuffix(string(out), "\n2000\n") {
		t.Errorf("count after resuming: %q, %v, want 2000", out, err)
	}
}

// A long answer ends with Ctrl-C.
func TestInterruptedQuery(t *testing.T) {
	needInterrupts(t)
	db := filepath.Join(t.TempDir(), "q.simdb")
	load := exec.Command("simdb", "import", "--quiet", db, "-")
	load.Stdin = strings.NewReader(documents(0, 1500, "the same text each time"))
	if out, err := load.CombinedOutput(); err != nil {
		t.Fatalf("import: %v\n%s", err, out)
	}
	cmd, _, stdout, stderr := start(t, "query", "--format", "ndjson", db, "SIMILAR PAIRS")
	if _, err := io.ReadFull(stdout, make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
	// A million rows do not fit in a pipe, so the query is still at it.
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	go io.Copy(io.Discard, stdout)
	said, err := io.ReadAll(stderr)
	if err != nil {
		t.Fatal(err)
	}
	if code := exitCode(t, cmd); code != exit.CtrlC || !bytes.Contains(said, []byte("interrupted")) {
		t.Errorf("exit code %d, want %d; stderr: %q", code, exit.CtrlC, said)
	}
}

// A shell over files that waits for input leaves nothing behind when its terminal ends.
func TestShellEnds(t *testing.T) {
	needInterrupts(t)
	dir := t.TempDir()
	texts := filepath.Join(dir, "texts.jsonl")
	if err := os.WriteFile(texts, []byte(documents(0, 10, "a text")), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, by := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		tmp := t.TempDir()
		t.Setenv("TMPDIR", tmp)
		cmd, stdin, stdout, _ := start(t, "shell", "--format", "csv", texts)
		if _, err := io.WriteString(stdin, "SELECT count(*) FROM docs;\n"); err != nil {
			t.Fatal(err)
		}
		if _, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		if left, _ := os.ReadDir(tmp); len(left) != 1 {
			t.Fatalf("%v: the temporary database is not in TMPDIR", left)
		}
		if err := cmd.Process.Signal(by); err != nil {
			t.Fatal(err)
		}
		code := exitCode(t, cmd)
		// 130 says that the signal came before the shell waited for input again.
		if left, _ := os.ReadDir(tmp); code != 128+int(by) && code != exit.CtrlC || len(left) > 0 {
			t.Errorf("%v: exit code %d, and %v is left", by, code, left)
		}
	}
}
