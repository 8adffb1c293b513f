package main

// What an import reports about rejected documents and warnings.

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/simdb/simdb"
)

// reportsShown is how many rejects, and how many warnings, are reported one by
// one.
const reportsShown = 10

// reports writes the rejects and warnings of an import to standard error: the
// first few in full, the rest as a number.
type reports struct {
	stderr            io.Writer
	bar               *progress
	rejects, warnings int64
}

func (r *reports) reject(x simdb.Reject, show bool) {
	if r.rejects++; !show || r.rejects > reportsShown {
		return
	}
	r.bar.clear()
	place := x.Source
	if x.Line > 0 {
		place = fmt.Sprintf("%s:%d", place, x.Line)
	}
	if x.ID != "" && x.Line > 0 {
		place += fmt.Sprintf(" (id %q)", x.ID)
	}
	fmt.Fprintf(r.stderr, "rejected %s: %s\n", escapeControls(place), escapeControls(x.Reason))
}

func (r *reports) warning(id, why string) {
	if r.warnings++; r.warnings > reportsShown {
		return
	}
	r.bar.clear()
	fmt.Fprintf(r.stderr, "warning: %s: %s\n", escapeControls(id), escapeControls(why))
}

func (r *reports) summary(rejectsFile string) {
	if more := r.rejects - reportsShown; more > 0 && rejectsFile == "" {
		fmt.Fprintf(r.stderr, "… and %s; use --rejects FILE to have them all\n", count(more, "more reject"))
	}
	if more := r.warnings - reportsShown; more > 0 {
		fmt.Fprintf(r.stderr, "… and %s\n", count(more, "more warning"))
	}
}

// rejectLog writes rejects to a file, one JSON object a line. A nil rejectLog
// writes none.
type rejectLog struct {
	file *os.File
	w    *bufio.Writer
	enc  *json.Encoder
	err  error
}

// openRejects begins the file anew, or appends to it if an import resumes.
func openRejects(path string, resume bool) (*rejectLog, error) {
	if path == "" {
		return nil, nil
	}
	mode := os.O_TRUNC
	if resume {
		mode = os.O_APPEND
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|mode, 0o644)
	if err != nil {
		return nil, fmt.Errorf("--rejects: %w", err)
	}
	l := &rejectLog{file: file, w: bufio.NewWriter(file)}
	l.enc = json.NewEncoder(l.w)
	l.enc.SetEscapeHTML(false)
	return l, nil
}

func (l *rejectLog) add(r simdb.Reject) {
	if l != nil && l.err == nil {
		l.err = l.enc.Encode(r)
	}
}

func (l *rejectLog) close() error {
	if l == nil {
		return nil
	}
	err := l.err
	for _, step := range []func() error{l.w.Flush, l.file.Close} {
		if stepErr := step(); err == nil {
			err = stepErr
		}
	}
	if err != nil {
		return fmt.Errorf("--rejects: %w", err)
	}
	return nil
}
