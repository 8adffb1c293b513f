package plan

// The probe of a search: a stored document, a text, a file or a fingerprint. And the files that
// a statement reads.

import (
	"cmp"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"

	"github.com/simdb/simdb/query/syntax"
)

// target reads a probe. A stored one must be in one of the collections.
func (pl *Planner) target(t syntax.Target, in []string) (api.Target, error) {
	s, err := pl.args.string(t.Value, []string{"the id of a document", "a path", "a text", "64 binary digits"}[t.Kind])
	if err != nil {
		return api.Target{}, err
	}
	switch t.Kind {
	case syntax.TargetText:
		return api.ByText(s), nil
	case syntax.TargetFingerprint:
		v, ok := syntax.ParseFingerprint(s)
		if !ok {
			return api.Target{}, ErrorAt(t.Value.Place(), "64 binary digits", "the string "+syntax.Quote(s), "")
		}
		return api.ByFingerprint(api.Fingerprint(v)), nil
	case syntax.TargetFile:
		text, err := pl.opts.readFile(s)
		if err != nil {
			return api.Target{}, unreadFile(t.Pos, err, "an id, TEXT or FINGERPRINT", "; the text itself is written TEXT '…' or TEXT ?")
		}
		return api.ByText(text), nil
	}
	for _, c := range in {
		_, err := pl.all.Info(c, s)
		if err == nil {
			return api.ByID(s), nil
		}
		if !errors.Is(err, api.ErrNotFound) {
			return api.Target{}, Placed(t.Value.Place(), err)
		}
	}
	hint, err := pl.nearIDs(s, in)
	if err != nil {
		return api.Target{}, err
	}
	e := ErrorAt(t.Value.Place(), "the id of a document in "+strings.Join(in, ", "), syntax.Quote(s), cmp.Or(hint, "a text to compare with is written TEXT '…'"))
	e.Err = api.ErrNotFound
	return api.Target{}, e
}

// probe reads the target of similarity(). In similarity(simhash, …) a target
// that is written as an id may be a fingerprint, if no document has this id.
func (pl *Planner) probe(s *syntax.Similarity, q engine.Search) (api.Target, error) {
	t, err := pl.target(s.Target, q.In)
	if errors.Is(err, api.ErrNotFound) && s.Hash && s.Target.Kind == syntax.TargetID {
		text, _ := pl.args.string(s.Target.Value, "")
		if v, ok := syntax.ParseFingerprint(text); ok {
			return api.ByFingerprint(api.Fingerprint(v)), nil
		}
		e := ErrorAt(s.Target.Value.Place(), "the id of a document in "+strings.Join(q.In, ", ")+", or 64 binary digits", syntax.Quote(text),
			"a text to compare with is written TEXT '…'")
		e.Err = err
		return t, e
	}
	if err != nil {
		return t, err
	}
	return t, checkFingerprint(s.Target, q.Measure)
}

// checkFingerprint refuses a fingerprint if the measure does not compare
// fingerprints.
func checkFingerprint(t syntax.Target, m api.Measure) error {
	if t.Kind != syntax.TargetFingerprint || m == api.SimHash {
		return nil
	}
	return ErrorAt(t.Pos, "an id, FILE or TEXT", "FINGERPRINT", "a fingerprint is compared with others: USING simhash")
}

// maxFileBytes bounds the text of a FILE target.
const maxFileBytes = 16 << 20

var errNoFiles = errors.New("files are not read here")

func (o Options) readFile(path string) (string, error) {
	if !o.Files {
		return "", errNoFiles
	}
	if path == "-" {
		return o.readInput()
	}
	return readRegular(path)
}

// unreadFile says why a file could not be read, or what is wanted where none may be.
func unreadFile(at syntax.Pos, err error, want, hint string) error {
	if err == errNoFiles {
		return ErrorAt(at, want, "FILE", "files are read only for a caller who sets QueryOptions.Files"+hint)
	}
	e := ErrorAt(at, "a file that can be read", err.Error(), "")
	e.Err = err
	return e
}

// unfit says why a file is none to read, which is ErrInvalid.
type unfit string

func (u unfit) Error() string { return string(u) }

func (u unfit) Unwrap() error { return api.ErrInvalid }

func readRegular(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() { // a pipe would block the query for ever
		return "", unfit(path + " is not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return readTarget(f, path)
}

var errNoInput = unfit("standard input holds the statements, or is not read here; name a file, or give the statement as an argument")

// readInput reads FILE '-'.
func (o Options) readInput() (string, error) {
	if o.Input == nil {
		return "", errNoInput
	}
	return readTarget(o.Input, "standard input")
}

func readTarget(r io.Reader, name string) (string, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxFileBytes+1))
	if err == nil && len(b) > maxFileBytes {
		err = unfit(name + " is larger than 16 MiB")
	}
	return string(b), err
}
