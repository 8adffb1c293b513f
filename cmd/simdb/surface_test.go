package main

// The commands and flags as a whole: one word for one thing.

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
)

// placeholders names the values of arguments and flags. A value of two kinds joins two names by a bar.
var placeholders = strings.Fields(`ADDRESS CHARACTER COLLECTION COMMAND DB DIR DURATION FIELD FIELDS FILE FORMAT HOST I/N ID
	MEASURE N NEWDB PATH PATTERN SEQ SETTINGS SHELL SIM SIZE STATEMENT TEXT TIME MARK TOKEN WORD WORKDIR`)

// meanings has the beginning of the help of each flag whose help differs between commands.
var meanings = map[string]string{
	"addr":         "listening ADDRESS",
	"against":      "texts to search for",
	"allow-writes": "allow writes by ",
	"dry-run":      "report only",
	"format":       "output FORMAT: ",
	"id-field":     "FIELD that contains the id of a record, ",
	"in":           "COLLECTION ",
	"keep":         "similar text to keep: ",
	"max-width":    "width of ",
	"memory":       "approximate memory ",
	"out":          "write ",
	"report":       "write ",
	"sim":          "least similarity SIM of ",
	"since":        "only since this ",
	"text-field":   "FIELDS that contain the text of a record, ",
	"using":        "MEASURE of similarity",
	"with":         "SETTINGS of ",
}

// Every command has a group and names its arguments by placeholders; every flag has a placeholder,
// and the same meaning in all commands that have it.
func TestOneWordForOneThing(t *testing.T) {
	root := newRoot()
	grouped := 0
	for _, g := range command.CommandGroups(root) {
		if g.Title == "Commands" {
			t.Errorf("%s has no group: add it to groups", g.Commands[0].Name())
		}
		grouped += len(g.Commands)
	}
	if grouped < 20 {
		t.Errorf("the groups have %d commands, want all", grouped)
	}
	word := regexp.MustCompile(`[A-Za-z.]*[A-Z][A-Za-z.]*`)
	usages := map[string]string{} // by flag without a common beginning
	used := map[string]bool{}     // the meanings of a flag
	for _, c := range commands(root) {
		if c.Hidden {
			continue
		}
		for _, name := range word.FindAllString(c.Use, -1) {
			if !slices.Contains(placeholders, name) {
				t.Errorf("%s: the argument %s is no placeholder", c.CommandPath(), name)
			}
		}
		for _, g := range command.FlagGroups(c) {
			if g.Title == "Other flags" {
				t.Errorf("%s: %s needs a group in package command", c.CommandPath(), strings.TrimSpace(g.Flags.FlagUsages()))
			}
			g.Flags.VisitAll(func(f *pflag.Flag) {
				if f.Name == "help" {
					return
				}
				value, usage := pflag.UnquoteUsage(f)
				for name := range strings.SplitSeq(value, "|") {
					if name != "" && !slices.Contains(placeholders, name) {
						t.Errorf("%s --%s: %q is no placeholder", c.CommandPath(), f.Name, name)
					}
				}
				if begin, ok := meanings[f.Name]; ok {
					used[f.Name] = true
					if !strings.HasPrefix(usage, begin) {
						t.Errorf("%s --%s: %q does not begin with %q", c.CommandPath(), f.Name, usage, begin)
					}
					return
				}
				text := value + " " + usage
				if before, ok := usages[f.Name]; ok && before != text {
					t.Errorf("%s --%s means %q, elsewhere %q: name it differently, or add the common beginning to meanings", c.CommandPath(), f.Name, text, before)
				}
				usages[f.Name] = text
			})
		}
	}
	for name := range meanings {
		if !used[name] {
			t.Errorf("no command has the flag --%s of meanings", name)
		}
	}
}

// All flags for durations and sizes parse the same texts.
func TestFlagsParseAlike(t *testing.T) {
	values := map[string]map[string]bool{ // whether a value is valid, by placeholder
		"DURATION": {"2s": true, "1h30m": true, "30d": true, "1d12h": true, "30": false, "0s": false, "-1h": false, "1 day": false},
		"SIZE":     {"2MiB": true, "2MB": true, "2000000": true, "2 apples": false, "0": false, "-1": false},
	}
	seen := map[string]int{}
	for _, c := range commands(newRoot()) {
		for _, g := range command.FlagGroups(c) {
			g.Flags.VisitAll(func(f *pflag.Flag) {
				value, _ := pflag.UnquoteUsage(f)
				for text, valid := range values[value] {
					if err := f.Value.Set(text); (err == nil) != valid {
						t.Errorf("%s --%s %q: %v, want valid = %v", c.CommandPath(), f.Name, text, err, valid)
					}
					seen[value]++
				}
				if value == "DURATION" && f.DefValue != "" {
					if _, err := output.ParseDuration(f.DefValue); err != nil {
						t.Errorf("%s --%s: the default: %v", c.CommandPath(), f.Name, err)
					}
				}
			})
		}
	}
	if seen["DURATION"] == 0 || seen["SIZE"] == 0 {
		t.Errorf("checked %v values, want durations and sizes", seen)
	}
}
