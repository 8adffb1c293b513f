package main

// The shell on a real terminal.

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/simdb/simdb/cmd/simdb/internal/exit"
)

// terminal is a pseudo-terminal with the command at its other end.
type terminal struct {
	t      *testing.T
	master *os.File
	cmd    *exec.Cmd
	screen strings.Builder // all that was printed
	seen   int             // length that until has consumed
}

// Prompts of the shell: for a statement, and for its further lines.
const (
	ready  = "simdb> "
	goesOn = "   ...> "
)

// patience is the time after which a test considers the command to hang.
const patience = time.Minute

// onTerminal starts the command on a terminal of 30 lines of 100 columns.
func onTerminal(t *testing.T, env []string, args ...string) *terminal {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	t.Cleanup(func() { master.Close() })
	unlock, number := int32(0), uint32(0)
	size := [4]uint16{30, 100, 0, 0}
	for request, arg := range map[uintptr]unsafe.Pointer{
		syscall.TIOCSPTLCK: unsafe.Pointer(&unlock),
		syscall.TIOCGPTN:   unsafe.Pointer(&number),
		syscall.TIOCSWINSZ: unsafe.Pointer(&size),
	} {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, master.Fd(), request, uintptr(arg)); errno != 0 {
			t.Fatalf("ioctl %x: %v", request, errno)
		}
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer slave.Close()
	cmd := exec.Command("simdb", args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.Env = append(os.Environ(), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	watchdog := time.AfterFunc(patience, func() { cmd.Process.Kill() })
	t.Cleanup(func() { watchdog.Stop(); cmd.Process.Kill() })
	return &terminal{t: t, master: master, cmd: cmd}
}

// types presses keys, then reads on until the screen shows what is wanted.
// types types keys and waits for what the shell shows. Ctrl-C draws the prompt once more
// before the line ends and a new one begins; keys that come between the two lines are the
// terminal's own, so a test waits for "\r\n" and the prompt.
func (x *terminal) types(keys string, wants ...string) {
	x.t.Helper()
	if _, err := x.master.WriteString(keys); err != nil {
		x.t.Fatal(err)
	}
	for _, want := range wants {
		x.until(want)
	}
}

func (x *terminal) until(want string) {
	x.t.Helper()
	buf := make([]byte, 1<<16)
	for {
		if i := strings.Index(x.screen.String()[x.seen:], want); i >= 0 {
			x.seen += i + len(want)
			return
		}
		n, err := x.master.Read(buf)
		if err != nil {
			s := x.screen.String()
			x.t.Fatalf("the terminal never showed %q; at its end\n%q", want, s[max(0, len(s)-2000):])
		}
		x.screen.Write(buf[:n])
	}
}

// exits reads the remaining output and requires exit code 0.
func (x *terminal) exits() {
	x.t.Helper()
	buf := make([]byte, 1<<16)
	for {
		if _, err := x.master.Read(buf); err != nil { // the other end is closed
			break
		}
	}
	if code := exitCode(x.t, x.cmd); code != exit.OK {
		x.t.Errorf("exit code %d, want 0", code)
	}
}

// A person at a terminal has lines, completion, a history that outlives the
// shell, and Ctrl-C for a statement that takes too long.
func TestTerminal(t *testing.T) {
	t.Parallel()
	const (
		enter, tab, up = "\r", "\t", "\x1b[A"
		ctrlC, ctrlD   = "\x03", "\x04"
	)
	dir := t.TempDir()
	db, env := filepath.Join(dir, "t.simdb"), []string{"XDG_STATE_HOME=" + dir, "TERM=xterm", "NO_COLOR=1", "PAGER=cat"}
	load := exec.Command("simdb", "import", "--quiet", db, "-")
	load.Stdin = strings.NewReader(documents(0, 1500, "the same text each time"))
	if out, err := load.CombinedOutput(); err != nil {
		t.Fatalf("import: %v\n%s", err, out)
	}

	load = exec.Command("simdb", "import", "--quiet", "--in", "long", db, "-")
	load.Stdin = strings.NewReader(differing(4000))
	if out, err := load.CombinedOutput(); err != nil {
		t.Fatalf("import: %v\n%s", err, out)
	}

	x := onTerminal(t, env, "shell", db)
	x.until(ready)
	x.types(".he"+tab+enter, ".timer", ready)
	x.types("INSERT INTO drafts (id, text)"+enter, goesOn)
	x.types("VALUES ('a', 'some words'), ('b', 'some words');"+enter, "inserted", "(1 row)", ready)
	x.types("sel"+tab, "select ")
	x.types("id FROM dra"+tab, "drafts ")
	x.types("limit 1;"+enter, "(1 row)", ready)
	x.types(".timer on"+enter, ready)
	x.types("SHOW COLLECTIONS;"+enter, "drafts", "(3 rows)", " ms\r\n", ready) // the time stands below the answer
	x.types("never run"+ctrlC, "\r\n", ready)
	x.types(".mode ndjson"+enter, ready)
	x.types("SIMILAR PAIRS;"+enter, `"sim":1`) // a million rows: it waits for us to read them
	x.types(ctrlC, "\r\nsimdb: interrupted\r\n", ready)
	x.types("SIMILAR PAIRS IN long USING jaccard(access='scan') WHERE sim >= 0.01;"+enter, "sets searched · ", "left")
	x.types(ctrlC, "\r\nsimdb: interrupted\r\n", ready) // it would take a minute
	x.types("SELEKT;"+enter, "did you mean SELECT?", ready)
	x.types(".exit" + enter)
	x.exits()

	x = onTerminal(t, env, "shell", db)
	x.until(ready)
	x.types(up+up+up, "SIMILAR PAIRS IN long")
	x.types(ctrlC, "\r\n", ready)
	x.types(ctrlD)
	x.exits()
}
