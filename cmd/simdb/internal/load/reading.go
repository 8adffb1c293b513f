package load

// Flags of the commands that read files: renditions, exclusions, limits and the fields of records.

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
	"github.com/simdb/simdb/internal/ingest"
)

// reading holds the flags that import and sync share.
type reading struct {
	render    string
	exclude   []string
	gitIgnore bool
	binary    bool
	maxDoc    string
	maxRatio  int64
}

// flags adds the flags to cmd.
func (r *reading) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&r.render, "rendition", "auto", "convert documents such as HTML and PDF to text (auto), or reject them (none)")
	output.Offer(cmd, "rendition", "auto", "none")
	f.StringArrayVar(&r.exclude, "exclude", nil, "skip files matching this `pattern`, as in .gitignore: '*.log', 'build/'; may be repeated")
	f.BoolVar(&r.gitIgnore, "gitignore", false, "skip files excluded by .gitignore files in the directory that is read")
	f.BoolVar(&r.binary, "binary", false, "read binary files as Latin-1 instead of rejecting them")
	f.StringVar(&r.maxDoc, "max-doc", "16MiB", "reject longer texts (at most 48MiB)")
	f.Int64Var(&r.maxRatio, "max-ratio", 200, "reject input that unpacks to over 64MiB and over this many times its size")
}

// check validates the flags. It returns the size limit of a text in bytes, and the renderer of
// documents, nil with --rendition none.
func (r *reading) check() (int64, api.Renderer, error) {
	if r.maxRatio <= 0 {
		return 0, nil, exit.Usagef("--max-ratio %d is no number from 1 up", r.maxRatio)
	}
	n, err := output.ParseBytes(r.maxDoc)
	if err != nil || n <= 0 || n > command.MaxDoc {
		return 0, nil, exit.Usagef("--max-doc %q is no size from 1 to 48MiB, like 500kB or 16MiB", r.maxDoc)
	}
	if err := ingest.CheckExclude(r.exclude); err != nil {
		return 0, nil, exit.Usagef("--exclude: %v", err)
	}
	switch r.render {
	case "auto":
		return n, NewRenderer(n), nil
	case "none":
		return n, nil, nil
	}
	return 0, nil, exit.Usagef("unknown --rendition %q; use auto or none", r.render)
}

// checkFields validates the flags that select id, text and metadata.
func (im *importer) checkFields() (err error) {
	o := &im.options
	if o.Delimiter, err = delimiterOf(im.between); err != nil {
		return err
	}
	if err := ingest.CheckFields(ingest.Options{ID: o.ID, Strip: o.Strip, IDField: o.IDField, TextField: o.TextField, Delimiter: o.Delimiter}); err != nil {
		return exit.Usagef("%v", err)
	}
	return nil
}

// delimiterOf parses --delimiter: one ASCII character, or the word tab.
func delimiterOf(s string) (byte, error) {
	switch {
	case s == "":
		return 0, nil
	case s == "tab" || s == `\t`:
		return '\t', nil
	case len(s) == 1:
		return s[0], nil
	}
	return 0, exit.Usagef("--delimiter %q is no single ASCII character; write ';', '|' or tab", s)
}

// orList joins names as a choice: a, b or c.
func orList(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
