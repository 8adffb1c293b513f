package output

// The pager: an answer that is longer than the terminal goes to less, or what PAGER names.

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"

	"golang.org/x/term"

	"github.com/simdb/simdb/cmd/simdb/internal/exit"
)

// Pager holds an answer back until it is longer than the screen. Then it starts the program
// that shows it. It is used from one goroutine.
type Pager struct {
	file    *os.File // the terminal
	stderr  io.Writer
	command []string // what to run; nil: nothing

	Off     bool
	active  bool // between begin and end
	height  int
	held    bytes.Buffer
	lines   int
	running *exec.Cmd
	in      io.WriteCloser
}

// NewPager returns the pager of a terminal. It returns nil if out is none, or PAGER says
// that there shall be none: it is empty, or cat.
func NewPager(out, stderr io.Writer) *Pager {
	file, ok := out.(*os.File)
	if !ok || !IsTerminal(out) {
		return nil
	}
	p := &Pager{file: file, stderr: stderr, command: []string{"less", "-R", "-F", "-X"}}
	if named, ok := os.LookupEnv("PAGER"); ok {
		p.command = []string{"sh", "-c", named}
		if named == "" || named == "cat" {
			return nil
		}
	}
	if _, err := exec.LookPath(p.command[0]); err != nil {
		return nil
	}
	return p
}

// On returns the writer of answers that are meant for the terminal w.
func (p *Pager) On(w io.Writer) io.Writer {
	if p == nil {
		return w
	}
	return p
}

// Begin begins an answer.
func (p *Pager) Begin() {
	if p == nil || p.Off {
		return
	}
	_, height, err := term.GetSize(int(p.file.Fd()))
	p.active, p.height, p.lines = err == nil && height > 2, height, 0
}

// Write holds an answer back, or passes it on.
func (p *Pager) Write(b []byte) (int, error) {
	if !p.active {
		return p.file.Write(b)
	}
	if p.in != nil {
		return p.in.Write(b)
	}
	p.held.Write(b)
	if p.lines += bytes.Count(b, []byte("\n")); p.lines < p.height-1 {
		return len(b), nil
	}
	if err := p.start(); err != nil { // then without it
		p.active = false
	}
	_, err := p.held.WriteTo(p)
	return len(b), err
}

func (p *Pager) start() error {
	cmd := exec.Command(p.command[0], p.command[1:]...)
	cmd.Stdout, cmd.Stderr = p.file, p.stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return errors.Join(err, in.Close())
	}
	p.running, p.in = cmd, in
	return nil
}

// End ends an answer: what was held back is shown, or the pager is waited for. Who leaves
// the pager early has seen enough, which is no error.
func (p *Pager) End(err error) error {
	if p == nil || !p.active {
		return err
	}
	p.active = false
	if p.running == nil {
		_, writeErr := p.held.WriteTo(p.file)
		if err == nil {
			err = writeErr
		}
		return err
	}
	p.in.Close()         // less has then the whole answer
	_ = p.running.Wait() // how it ended says nothing of the answer
	p.running, p.in = nil, nil
	p.held.Reset()
	if exit.BrokenPipe(err) {
		return nil
	}
	return err
}
