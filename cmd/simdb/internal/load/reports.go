package load

// Reports of rejects and warnings during an import.

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

// reportsShown limits the rejects, and the warnings, that are reported individually.
const reportsShown = 10

// Reports writes the rejects and warnings of an import to standard error: the first
// reportsShown in full, the others as a count.
type Reports struct {
	stderr            io.Writer
	bar               *output.Progress
	rejects, warnings int64
	noText            int64            // rejects without text: links, pictures and the like
	lines, rests      int64            // as in ImportStats
	kinds             map[string]int64 // rejects by kind
	all               string           // how to see all rejects; "" if there is no way
}

// NewReports returns reports of a command that has no file for rejects.
func NewReports(stderr io.Writer) *Reports {
	return &Reports{stderr: stderr, bar: output.NewProgress(stderr, true)}
}

// Reject reports a reject.
func (r *Reports) Reject(x api.Reject) { r.reject(x, true) }

// Summary ends the reports.
func (r *Reports) Summary() { r.summary("") }

// reject counts a reject, and reports it if show is set and the limit allows.
func (r *Reports) reject(x api.Reject, show bool) {
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

// warning counts a warning, and reports it if the limit allows.
func (r *Reports) warning(id, why string) {
	if r.warnings++; r.warnings > reportsShown {
		return
	}
	r.bar.Clear()
	fmt.Fprintf(r.stderr, "warning: %s: %s\n", output.EscapeControls(id), output.EscapeControls(why))
}

// kindOf returns the kind of a reject, or its reason without the variable parts.
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

// kindsShown limits the kinds in a summary.
const kindsShown = 6

// counted formats counts by kind, most frequent first.
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

// summary reports the number of rejects and of warnings that were not reported individually, and
// the rejects by kind. It prints nothing if each was reported individually.
func (r *Reports) summary(rejectsFile string) {
	if r.rejects > 0 && (rejectsFile != "" || r.rejects > reportsShown) {
		defer func() { fmt.Fprintf(r.stderr, "%s rejected: %s\n", output.Thousands(r.rejects), counted(r.kinds)) }()
	}
	if more := r.rejects - reportsShown; more > 0 && rejectsFile == "" {
		fmt.Fprintf(r.stderr, "… and %s%s\n", output.Count(more, "more reject"), r.all)
	}
	if more := r.warnings - reportsShown; more > 0 {
		fmt.Fprintf(r.stderr, "… and %s\n", output.Count(more, "more warning"))
	}
}

// lines writes rejects, or texts left out as similar, to a file: one JSON object per line. Each
// line is written immediately, so that after a kill the file covers all durable batches. A nil
// lines writes nothing.
type lines struct {
	flag string
	file *os.File
	enc  *json.Encoder
	err  error
}

// openLines truncates the file, or appends to it if an import resumes.
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

// add writes a line. Close returns the first error.
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

// unreadable explains an error that prevents the whole import.
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

// coveredLines returns the number of lines that rejects cover, in parentheses, or "" if it does
// not exceed the number of rejects.
func coveredLines(s api.ImportStats) string {
	if s.Lines <= s.Rejected {
		return ""
	}
	return " (" + output.Count(s.Lines, "line") + ")"
}

// restsNotRead returns a sentence with the number of files that were read only in part, "" if none.
func restsNotRead(s api.ImportStats) string {
	if s.Rests == 0 {
		return ""
	}
	return "the rest of " + output.Count(s.Rests, "file") + " was not read"
}
