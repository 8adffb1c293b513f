package main

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
)

var update = flag.Bool("update", false, "write the reference of docs/commands.md")

const (
	commandsPage   = "../../docs/commands.md"
	referenceBegin = "<!-- generated: go test ./cmd/simdb -run TestCommandReference -update -->\n"
	referenceEnd   = "<!-- end of the generated part -->\n"
)

// The reference of docs/commands.md has the usage and the flags of every command, from
// the words of its help.
func TestCommandReference(t *testing.T) {
	page, err := os.ReadFile(commandsPage)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(page), referenceBegin)
	old, after, closed := strings.Cut(rest, referenceEnd)
	if !found || !closed {
		t.Fatalf("%s lacks the lines %q and %q", commandsPage, referenceBegin, referenceEnd)
	}
	want := commandReference(newRoot())
	if old == want {
		return
	}
	if !*update {
		t.Fatalf("%s differs from the help of the commands: go test ./cmd/simdb -run TestCommandReference -update", commandsPage)
	}
	if err := os.WriteFile(commandsPage, []byte(before+referenceBegin+want+referenceEnd+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// commandReference returns the usage and the flags of all commands. A flag of several
// commands with the same effect is listed once.
func commandReference(root *cobra.Command) string {
	takes := map[string][]string{} // the commands of each flag
	for _, c := range commands(root) {
		if !c.HasParent() || c.Hidden {
			continue
		}
		for _, f := range flagsOf(c) {
			takes[flagItem(f)] = append(takes[flagItem(f)], strings.TrimPrefix(c.CommandPath(), "simdb "))
		}
	}
	var p strings.Builder
	p.WriteString("\n### Shared flags\n\n")
	for _, f := range flagsOf(root) {
		fmt.Fprintf(&p, "* %s\n", flagItem(f))
	}
	for _, item := range slices.Sorted(maps.Keys(takes)) {
		if by := takes[item]; len(by) > 5 {
			fmt.Fprintf(&p, "* %s (%d commands)\n", item, len(by))
		} else if len(by) > 1 {
			fmt.Fprintf(&p, "* %s (%s)\n", item, strings.Join(by, ", "))
		}
	}
	for _, g := range command.CommandGroups(root) {
		fmt.Fprintf(&p, "\n### %s\n", g.Title)
		for _, top := range g.Commands {
			for _, c := range commands(top) {
				writeReference(&p, c, takes)
			}
		}
	}
	return p.String() + "\n"
}

// writeReference writes the usage of a command and its own flags, in their groups.
func writeReference(p *strings.Builder, c *cobra.Command, takes map[string][]string) {
	fmt.Fprintf(p, "\n#### `%s`\n\n%s.\n", c.UseLine(), c.Short)
	for _, g := range command.FlagGroups(c) {
		lead := "\n"
		if g.Title != "" {
			lead = "\n" + g.Title + ":\n\n"
		}
		g.Flags.VisitAll(func(f *pflag.Flag) {
			if item := flagItem(f); len(takes[item]) == 1 {
				fmt.Fprintf(p, "%s* %s\n", lead, item)
				lead = ""
			}
		})
	}
}

// flagsOf returns the flags of a command by name, without help and inherited flags.
func flagsOf(c *cobra.Command) (flags []*pflag.Flag) {
	c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) { flags = append(flags, f) })
	c.PersistentFlags().VisitAll(func(f *pflag.Flag) { flags = append(flags, f) })
	flags = slices.DeleteFunc(flags, func(f *pflag.Flag) bool { return f.Hidden || f.Name == "help" || f.Name == "version" })
	slices.SortFunc(flags, func(a, b *pflag.Flag) int { return cmp.Compare(a.Name, b.Name) })
	return flags
}

// flagItem returns a flag with its effect and its default.
func flagItem(f *pflag.Flag) string {
	value, usage := pflag.UnquoteUsage(f)
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	if value != "" {
		name += " " + value
	}
	usage = strings.ReplaceAll(usage, strings.Join(output.Formats, ", "), "any format")
	if d := f.DefValue; !slices.Contains([]string{"", "false", "[]", "0"}, d) && !strings.Contains(usage, "(default ") {
		usage += " (default " + d + ")"
	}
	return fmt.Sprintf("`%s`: %s", name, strings.ReplaceAll(usage, "<", "&lt;"))
}
