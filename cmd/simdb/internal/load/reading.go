package load

// Flags of the commands that read files: renditions, exclusions, limits and the fields of records.

import (
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
	maxDoc    int64
	maxRatio  int64
}

// Usages of flags that import and sync share.
const (
	withUsage   = "`SETTINGS` of a new collection, as in CREATE COLLECTION: 'versions = on, k = 4'"
	prefixUsage = "`TEXT` before every id"
)

// flags adds the flags to cmd.
func (r *reading) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	RenditionFlag(cmd, &r.render)
	f.StringArrayVar(&r.exclude, "exclude", nil, "skip files that match this `PATTERN`, as in .gitignore: '*.log', 'build/'; may be repeated")
	f.BoolVar(&r.gitIgnore, "gitignore", false, "skip files excluded by .gitignore files in the directory that is read")
	f.BoolVar(&r.binary, "binary", false, "read binary files as Latin-1 instead of rejecting them")
	r.maxDoc = 16 << 20
	command.SizeFlag(cmd, &r.maxDoc, "max-doc", 1, command.MaxDoc, "reject longer texts (at most 48MiB)")
	f.Int64Var(&r.maxRatio, "max-ratio", 200, "reject input that unpacks to over 64MiB and over `N` times its size")
}

// RenditionFlag adds --rendition, auto or none, to cmd.
func RenditionFlag(cmd *cobra.Command, to *string) {
	output.WordFlag(cmd, to, "rendition", []string{"auto", "none"}, "convert documents such as HTML and PDF to text (auto), or reject them (none)")
}

// check validates the flags. It returns the size limit of a text in bytes, and the renderer of
// documents, nil with --rendition none.
func (r *reading) check() (int64, api.Renderer, error) {
	if r.maxRatio <= 0 {
		return 0, nil, exit.Usagef("--max-ratio %d is no number from 1 up", r.maxRatio)
	}
	if err := ingest.CheckExclude(r.exclude); err != nil {
		return 0, nil, exit.Usagef("--exclude: %v", err)
	}
	if r.render == "none" {
		return r.maxDoc, nil, nil
	}
	return r.maxDoc, NewRenderer(r.maxDoc), nil
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
