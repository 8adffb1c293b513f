package main

// Flags of the commands that read files: what is a document, what is passed over, and which
// fields of records are the id and the text.

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/internal/ingest"
)

// reading are the flags of import and sync.
type reading struct {
	render    string
	exclude   []string
	gitIgnore bool
}

func (r *reading) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&r.render, "rendition", "auto", "read documents that are no plain texts (auto), or reject them (none)")
	f.StringArrayVar(&r.exclude, "exclude", nil, "pass over what this `pattern` matches, as in .gitignore: '*.log', 'build/'; may be repeated")
	f.BoolVar(&r.gitIgnore, "gitignore", false, "pass over what the .gitignore files below a directory say")
}

// renderer checks the flags. It returns what reads documents, nil if nothing does.
func (r *reading) renderer(maxDoc int64) (api.Renderer, error) {
	if err := ingest.CheckExclude(r.exclude); err != nil {
		return nil, usagef("--exclude: %v", err)
	}
	switch r.render {
	case "auto":
		return newRenderer(maxDoc), nil
	case "none":
		return nil, nil
	}
	return nil, usagef("unknown --rendition %q; use auto or none", r.render)
}

// delimiterOf reads --delimiter: one character, or the word tab.
func delimiterOf(s string) (byte, error) {
	switch {
	case s == "":
		return 0, nil
	case s == "tab" || s == `\t`:
		return '\t', nil
	case len(s) == 1:
		return s[0], nil
	}
	return 0, usagef("--delimiter %q is no single ASCII character; write ';', '|' or tab", s)
}

// orList writes names as a choice: a, b or c.
func orList(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
