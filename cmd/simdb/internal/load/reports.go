package load

// What an import reports about rejected documents and warnings.

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
)

// reportsShown is how many rejects, and how many warnings, are reported one by
// one.
const reportsShown = 10

// reports writes the rejects and warnings of an import to standard error: the
// first few in full, the rest as a number.
type reports struct {
	stderr            io.Writer
	bar               *output.Progress
	rejects, warnings int64
	noText            int64            // of the rejects: links, pictures and the like
	lines, rests      int64            // as ImportStats has them
	kinds             map[string]int64 // of rejects
}

func (r *reports) reject(x api.Reject, show bool) {
	if r.kinds == nil {
		r.kinds = map[string]int64{}
	}
	r.kinds[kindOf(x)]++
	if x.Kind != "" {
		r.noText++
	}
	r.lines += x.Lines
	if x.Rest {
		r.rests++
	}
	if r.rejects++; !show || r.rejects > reportsShown {
		return
	}
	r.bar.Clear()
	place := x.Source
	if x.Line > 0 {
		place = fmt.Sprintf("%s:%d", place, x.Line)
	}
	if x.ID != "" && x.Line > 0 {
		place += fmt.Sprintf(" (id %q)", x.ID)
	}
	fmt.Fprintf(r.stderr, "rejected %s: %s\n", output.EscapeControls(place), output.EscapeControls(x.Reason))
}

func (r *reports) warning(id, why string) {
	if r.warnings++; r.warnings > reportsShown {
		return
	}
	r.bar.Clear()
	fmt.Fprintf(r.stderr, "warning: %s: %s\n", output.EscapeControls(id), output.EscapeControls(why))
}

// kindOf is the kind of a reject, or its reason without what differs from one to the next.
func kindOf(x api.Reject) string {
	if x.Kind != "" {
		return x.Kind
	}
	reason, _, _ := strings.Cut(x.Reason, ";")
	reason, _, _ = strings.Cut(reason, ": ")
	reason, _, _ = strings.Cut(reason, ", has ")
	return numbers.ReplaceAllString(reason, "…")
}

var numbers = regexp.MustCompile(`[0-9]+`)

// kindsShown is how many kinds a summary names.
const kindsShown = 6

// counted writes how many there are of each kind, the most frequent first.
func counted(kinds map[string]int64) string {
	names := slices.SortedFunc(maps.Keys(kinds), func(a, b string) int {
		return cmp.Or(cmp.Compare(kinds[b], kinds[a]), strings.Compare(a, b))
	})
	var parts []string
	for i, name := range names {
		if i == kindsShown {
			parts = append(parts, output.Count(int64(len(names)-i), "other kind"))
			break
		}
		if strings.Contains(name, " ") && !strings.HasSuffix(name, " record") && !strings.HasSuffix(name, " file") {
			parts = append(parts, output.Thousands(kinds[name])+" × "+output.EscapeControls(name))
		} else {
			parts = append(parts, output.Count(kinds[name], name))
		}
	}
	return strings.Join(parts, ", ")
}

// summary says what was not said of each. Rejects that were all named need none.
func (r *reports) summary(rejectsFile string) {
	if r.rejects > 0 && (rejectsFile != "" || r.rejects > reportsShown) {
		defer func() { fmt.Fprintf(r.stderr, "%s rejected: %s\n", output.Thousands(r.rejects), counted(r.kinds)) }()
	}
	if more := r.rejects - reportsShown; more > 0 && rejectsFile == "" {
		fmt.Fprintf(r.stderr, "… and %s; use --rejects FILE to have them all\n", output.Count(more, "more reject"))
	}
	if more := r.warnings - reportsShown; more > 0 {
		fmt.Fprintf(r.stderr, "… and %s\n", output.Count(more, "more warning"))
	}
}

// lines writes rejects, or what fell to what, to a file: one JSON object a line, each at
// once, so that what is told of durable batches is there if the process is killed. A nil
// lines writes none.
type lines struct {
	flag string
	file *os.File
	enc  *json.Encoder
	err  error
}

// openLines begins the file anew, or appends to it if an import resumes.
func openLines(flag, path string, resume bool) (*lines, error) {
	if path == "" {
		return nil, nil
	}
	mode := os.O_TRUNC
	if resume {
		mode = os.O_APPEND
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|mode, 0o644)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	l := &lines{flag: flag, file: file, enc: json.NewEncoder(file)}
	l.enc.SetEscapeHTML(false)
	return l, nil
}

func (l *lines) add(line any) {
	if l != nil && l.err == nil {
		l.err = l.enc.Encode(line)
	}
}

func (l *lines) Close() error {
	if l == nil {
		return nil
	}
	err := l.err
	if command.CloseInto(l.file, &err); err != nil {
		return fmt.Errorf("%s: %w", l.flag, err)
	}
	return nil
}

// unreadable says in words why nothing is read.
func unreadable(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	f := &exit.Error{Code: exit.CodeOf(err), Err: err, Message: fmt.Sprintf("cannot import: %v", err)}
	if f.Code == exit.Unavailable {
		f.Message += "; check the path"
	}
	return f
}

// coveredLines says how many lines rejects cover, if these are more.
func coveredLines(s api.ImportStats) string {
	if s.Lines <= s.Rejected {
		return ""
	}
	return " (" + output.Count(s.Lines, "line") + ")"
}

// restsNotRead says of how many files the rest was not read, "" if of none.
func restsNotRead(s api.ImportStats) string {
	if s.Rests == 0 {
		return ""
	}
	return "the rest of " + output.Count(s.Rests, "file") + " was not read"
}
