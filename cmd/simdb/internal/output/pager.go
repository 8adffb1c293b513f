package output

// The pager: answers longer than the terminal go to less, or to the program in PAGER.

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"

	"golang.org/x/term"

	"github.com/simdb/simdb/cmd/simdb/internal/exit"
)

// Pager buffers an answer until it is longer than the screen, and then starts the pager program. It
// is not safe for concurrent use.
type Pager struct {
	file    *os.File // the terminal
	stderr  io.Writer
	command []string // program with arguments; nil for none

	Off     bool
	active  bool // between Begin and End
	height  int
	held    bytes.Buffer
	lines   int
	running *exec.Cmd
	in      io.WriteCloser
}

// NewPager returns the pager of a terminal, or nil if out is not a terminal, or PAGER is empty or cat.
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

// On returns the writer for answers to w: the pager if w is its terminal, else w.
func (p *Pager) On(w io.Writer) io.Writer {
	if p == nil {
		return w
	}
	return p
}

// Begin starts an answer.
func (p *Pager) Begin() {
	if p == nil || p.Off {
		return
	}
	_, height, err := term.GetSize(int(p.file.Fd()))
	p.active, p.height, p.lines = err == nil && height > 2, height, 0
}

// Write buffers a part of an answer, or passes it to the running pager.
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
	if err := p.start(); err != nil { // continue without a pager
		p.active = false
	}
	_, err := p.held.WriteTo(p)
	return len(b), err
}

// start starts the pager program and sends it the buffered part.
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

// End ends an answer: it writes a buffered answer to the terminal, or waits for the pager. Leaving
// the pager early is not an error.
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
	p.in.Close()         // end of the answer
	_ = p.running.Wait() // the exit status of the pager does not concern the answer
	p.running, p.in = nil, nil
	p.held.Reset()
	if exit.BrokenPipe(err) {
		return nil
	}
	return err
}
