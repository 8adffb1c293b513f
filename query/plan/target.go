package plan

// The probe of a search: a stored document, a text, a file or a fingerprint; suggestions
// for an unknown id; and the files that a statement reads.

import (
	"cmp"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/query/syntax"
)

// target reads a probe, and records an error in the planner.
func (pl *Planner) target(t syntax.Target, in []string) api.Target {
	if pl.err != nil {
		return api.Target{}
	}
	target, err := pl.lookUp(t, in)
	pl.fail(err)
	return target
}

// lookUp reads a probe. A stored document must be in one of the collections.
func (pl *Planner) lookUp(t syntax.Target, in []string) (api.Target, error) {
	s, err := pl.args.string(t.Value, []string{"the id of a document", "a path", "a text", "64 binary digits"}[t.Kind])
	if err != nil {
		return api.Target{}, err
	}
	switch t.Kind {
	case syntax.TargetText:
		return api.ByText(s), nil
	case syntax.TargetFingerprint:
		f, err := api.ParseFingerprint(s)
		if err != nil {
			return api.Target{}, ErrorAt(t.Value.Place(), "64 binary digits", "the string "+syntax.Quote(s), "")
		}
		return api.ByFingerprint(f), nil
	case syntax.TargetFile:
		text, err := pl.opts.readFile(s)
		if err != nil {
			return api.Target{}, unreadFile(t.Pos, err, "an id, TEXT or FINGERPRINT", "; write the text itself: TEXT '…' or TEXT ?")
		}
		return api.ByText(text).Named(s), nil
	}
	by := api.ByID(s)
	if t.Of != nil {
		// The collection of the target need not be one of the searched collections.
		in = pl.Collections([]syntax.Name{*t.Of}, t.Of.Pos)
		by = by.Of(t.Of.Text)
	}
	for _, c := range in {
		_, err := pl.all.Info(c, s)
		if err == nil {
			return by, nil
		}
		if !errors.Is(err, api.ErrNotFound) {
			return api.Target{}, Placed(t.Value.Place(), err)
		}
	}
	hint, err := pl.nearIDs(s, in)
	if err != nil {
		return api.Target{}, err
	}
	e := ErrorAt(t.Value.Place(), "the id of a document in "+strings.Join(in, ", "), syntax.Quote(s), cmp.Or(hint, "to compare with a text, write TEXT '…'"))
	e.Err = api.ErrNotFound
	return api.Target{}, e
}

// probe reads the target of similarity(). In similarity(simhash, …), an id that no document
// has may be a fingerprint.
func (pl *Planner) probe(s *syntax.Similarity, q engine.Search) api.Target {
	if pl.err != nil {
		return api.Target{}
	}
	t, err := pl.lookUp(s.Target, q.In)
	if errors.Is(err, api.ErrNotFound) && s.Hash && s.Target.Kind == syntax.TargetID {
		text, _ := pl.args.string(s.Target.Value, "")
		// Paper 002 writes fingerprints without the word FINGERPRINT.
		if f, err := api.ParseFingerprint(text); err == nil {
			return api.ByFingerprint(f)
		}
		e := ErrorAt(s.Target.Value.Place(), "the id of a document in "+strings.Join(q.In, ", ")+", or 64 binary digits", syntax.Quote(text),
			"to compare with a text, write TEXT '…'")
		e.Err, err = err, e
	}
	pl.fail(err)
	pl.checkFingerprint(s.Target, q.Measure)
	return t
}

// checkFingerprint rejects a fingerprint unless the measure compares fingerprints.
func (pl *Planner) checkFingerprint(t syntax.Target, m api.Measure) {
	if !m.OfFingerprints() {
		pl.ofText(t, "a fingerprint compares only with fingerprints: USING simhash")
	}
}

// ofText rejects a fingerprint in the place of a text, with the reason as a hint.
func (pl *Planner) ofText(t syntax.Target, why string) {
	if t.Kind == syntax.TargetFingerprint {
		pl.fail(ErrorAt(t.Pos, "an id, FILE or TEXT", "FINGERPRINT", why))
	}
}

// maxFileBytes bounds the text of a FILE target.
const maxFileBytes = 16 << 20

// errNoFiles means that the options forbid files; unreadFile replaces it with a hint.
var errNoFiles = errors.New("files are not read here")

// readFile returns the text of a regular file, or of standard input for "-", if the options
// allow it.
func (o Options) readFile(path string) (string, error) {
	if !o.Files {
		return "", errNoFiles
	}
	if path == "-" {
		return o.readInput()
	}
	return readRegular(path)
}

// unreadFile explains a failed read. If files are off, it names the alternatives instead.
func unreadFile(at syntax.Pos, err error, want, hint string) error {
	if err == errNoFiles {
		return ErrorAt(at, want, "FILE", "this caller may not read files"+hint)
	}
	e := ErrorAt(at, "a file that can be read", err.Error(), "")
	e.Err = err
	return e
}

// unfit is an ErrInvalid with the reason why a file cannot be read.
type unfit string

// Error returns the reason.
func (u unfit) Error() string { return string(u) }

// Unwrap makes the error an ErrInvalid.
func (u unfit) Unwrap() error { return api.ErrInvalid }

// readRegular reads a file that must be regular.
func readRegular(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() { // a pipe would block the query forever
		return "", unfit(path + " is not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return readTarget(f, path)
}

// errNoInput reports FILE '-' when no standard input is available for it.
var errNoInput = unfit("standard input holds the statements, or is not read here; name a file, or give the statement as an argument")

// readInput reads FILE '-'.
func (o Options) readInput() (string, error) {
	if o.Input == nil {
		return "", errNoInput
	}
	return readTarget(o.Input, "standard input")
}

// readTarget reads at most maxFileBytes.
func readTarget(r io.Reader, name string) (string, error) {
	// One byte past the limit distinguishes a file of exactly 16 MiB from a longer one.
	b, err := io.ReadAll(io.LimitReader(r, maxFileBytes+1))
	if err == nil && len(b) > maxFileBytes {
		err = unfit(name + " is larger than 16 MiB")
	}
	return string(b), err
}

const (
	// A suggestion must not cost more than the search itself.
	nearScan = 20_000 // ids to examine per collection
	nearMost = 3      // ids to suggest
)

// nearID is an id and its distance from the missing one: 0 if it ends with the missing id,
// 1 if it contains it, else 2 plus the edit distance.
type nearID struct {
	id  string
	far int
}

// nearIDs suggests existing ids that resemble a missing id. It examines ids with the same first
// three bytes, and the first ids of a collection if none of these is near.
func (pl *Planner) nearIDs(id string, in []string) (string, error) {
	var near []nearID
	for _, c := range in {
		begins := id[:min(len(id), 3)]
		for _, prefix := range []string{begins, ""} {
			n := 0
			for have, err := range pl.all.IDs(pl.ctx, c, prefix) {
				if err != nil {
					return "", err
				}
				if far, ok := farFrom(id, have); ok {
					near = append(near, nearID{have, far})
				}
				if n++; n == nearScan {
					break
				}
			}
			// Ids with the same prefix are the likelier ones, so the scan of all ids comes
			// last.
			if prefix == "" || len(near) > 0 {
				break
			}
		}
	}
	slices.SortFunc(near, func(a, b nearID) int { return cmp.Or(cmp.Compare(a.far, b.far), strings.Compare(a.id, b.id)) })
	near = slices.Compact(near)
	var shown []string
	for _, n := range near[:min(len(near), nearMost)] {
		shown = append(shown, syntax.QuoteString(Shorten(n.id)))
	}
	if shown == nil {
		return "", nil
	}
	return "did you mean " + strings.Join(shown, " or ") + "?", nil
}

// farFrom returns the distance of an existing id from the missing one, and reports
// whether it is near.
func farFrom(missing, have string) (far int, near bool) {
	a, h := strings.ToLower(missing), strings.ToLower(have)
	switch {
	case missing == "":
		return 0, false
	case len(missing) >= 3 && strings.HasSuffix(h, a):
		return 0, true
	case len(missing) >= 3 && strings.Contains(h, a):
		return 1, true
	}
	most := min(len(a)/3, 4)
	if most < len(a)-len(h) || most < len(h)-len(a) {
		return 0, false
	}
	d := syntax.EditDistance(a, h)
	return 2 + d, d <= most
}
