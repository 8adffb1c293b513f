package main

// The pager: an answer that is longer than the terminal goes to less, or what PAGER names.

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"

	"golang.org/x/term"
)

// pager holds an answer back until it is longer than the screen. Then it starts the program
// that shows it. It is used from one goroutine.
type pager struct {
	file    *os.File // the terminal
	stderr  io.Writer
	command []string // what to run; nil: nothing

	off     bool
	active  bool // between begin and end
	height  int
	held    bytes.Buffer
	lines   int
	running *exec.Cmd
	in      io.WriteCloser
}

// newPager returns the pager of a terminal. It returns nil if out is none, or PAGER says
// that there shall be none: it is empty, or cat.
func newPager(out, stderr io.Writer) *pager {
	file, ok := out.(*os.File)
	if !ok || !isTerminal(out) {
		return nil
	}
	p := &pager{file: file, stderr: stderr, command: []string{"less", "-R", "-F", "-X"}}
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

// on returns the writer of answers that are meant for the terminal w.
func (p *pager) on(w io.Writer) io.Writer {
	if p == nil {
		return w
	}
	return p
}

// begin begins an answer.
func (p *pager) begin() {
	if p == nil || p.off {
		return
	}
	_, height, err := term.GetSize(int(p.file.Fd()))
	p.active, p.height, p.lines = err == nil && height > 2, height, 0
}

// Write holds an answer back, or passes it on.
func (p *pager) Write(b []byte) (int, error) {
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

func (p *pager) start() error {
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

// end ends an answer: what was held back is shown, or the pager is waited for. Who leaves
// the pager early has seen enough, which is no error.
func (p *pager) end(err error) error {
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
	if brokenPipe(err) {
		return nil
	}
	return err
}
