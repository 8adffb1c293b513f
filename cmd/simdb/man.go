package main

// The man command writes a manual page per command, from the text of --help. No library writes
// the pages: the library for cobra goes through Markdown, which joins the lines of examples,
// and would add three modules.

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
)

// newMan returns the man command.
func newMan() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write the manual pages to a folder",
		Long: `Write the manual pages simdb.1, simdb-import.1 and so on to the folder DIR, and
create DIR if it is missing. Existing pages are overwritten. To read one page, or
to install all of them:

  simdb man pages && man pages/simdb-import.1
  simdb man ~/.local/share/man/man1 && man simdb-import`,
		Args: command.Args(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[0] == "" {
				return exit.Usagef("the name of the folder is empty")
			}
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			return writePages(args[0], cmd.Root())
		},
	}
}

// writePages writes the pages of a command and, recursively, of its subcommands.
func writePages(dir string, cmd *cobra.Command) error {
	name := filepath.Join(dir, pageName(cmd)+".1")
	if err := os.WriteFile(name, []byte(manPage(cmd)), 0o644); err != nil {
		return err
	}
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			if err := writePages(dir, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// pageName returns the name of a page, such as simdb-import.
func pageName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// manPage returns the page of a command. The page has no date, so a version always produces
// the same bytes.
func manPage(cmd *cobra.Command) string {
	var p roff
	p.line(".TH %s 1 \"\" \"simdb %s\" \"simdb manual\"", roffText(strings.ToUpper(pageName(cmd))), roffText(simdb.Version))
	p.section("NAME")
	p.line("%s \\- %s", roffText(pageName(cmd)), roffText(cmd.Short))
	p.section("SYNOPSIS")
	p.line(".nf\n%s\n.fi", roffBold(cmd.UseLine()))
	p.section("DESCRIPTION")
	p.prose(cmp.Or(cmd.Long, cmd.Short+"."))
	if cmd.HasAvailableSubCommands() {
		p.section("COMMANDS")
		for _, g := range command.CommandGroups(cmd) {
			p.line(".SS %s", roffText(g.Title))
			for _, c := range g.Commands {
				p.item(roffBold(c.Name()), c.Short)
			}
		}
	}
	p.section("OPTIONS")
	for _, g := range command.FlagGroups(cmd) {
		if g.Title != "" {
			p.line(".SS %s", roffText(g.Title))
		}
		g.Flags.VisitAll(p.flag)
	}
	if cmd.Example != "" {
		p.section("EXAMPLES")
		p.prose(cmd.Example)
	}
	p.section("EXIT STATUS")
	for _, e := range exit.Meanings {
		p.item(roffBold(fmt.Sprint(e.Code)), e.Means)
	}
	p.section("SEE ALSO")
	p.line("%s", strings.Join(seeAlso(cmd), ",\n"))
	return p.String()
}

// seeAlso returns the pages of the parent and the subcommands.
func seeAlso(cmd *cobra.Command) (pages []string) {
	if cmd.HasParent() {
		pages = append(pages, roffBold(pageName(cmd.Parent()))+"(1)")
	}
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			pages = append(pages, roffBold(pageName(c))+"(1)")
		}
	}
	return pages
}

// roff builds a page in the macros of man.
type roff struct{ strings.Builder }

// line writes a formatted line.
func (p *roff) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }
func (p *roff) section(title string)            { p.line(".SH %s", title) }

// item writes a term and its explanation.
func (p *roff) item(term, means string) { p.line(".TP\n%s\n%s", term, roffText(means)) }

// flag writes a flag with its value, its usage and its default.
func (p *roff) flag(f *pflag.Flag) {
	value, usage := pflag.UnquoteUsage(f)
	term := roffBold("--" + f.Name)
	if f.Shorthand != "" {
		term = roffBold("-"+f.Shorthand) + ", " + term
	}
	if value != "" {
		term += " \\fI" + roffText(value) + "\\fP"
	}
	switch f.DefValue {
	case "", "false", "0", "[]":
	default:
		usage += " (default " + f.DefValue + ")"
	}
	p.item(term, usage)
}

// prose writes paragraphs. An indented paragraph is an example and keeps its lines.
func (p *roff) prose(text string) {
	for i, paragraph := range strings.Split(strings.Trim(text, "\n"), "\n\n") {
		if i > 0 {
			p.line(".PP")
		}
		if strings.HasPrefix(paragraph, "  ") {
			p.line(".RS 2\n.nf\n%s\n.fi\n.RE", roffText(strings.ReplaceAll(paragraph[2:], "\n  ", "\n")))
			continue
		}
		p.line("%s", roffText(paragraph))
	}
}

func roffBold(s string) string { return "\\fB" + roffText(s) + "\\fP" }

var roffEscapes = strings.NewReplacer(
	`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`, "\n.", "\n\\&.",
)

// roffText escapes roff requests, and the characters that roff would replace by typographic
// variants: options and examples must survive copying from the page.
func roffText(s string) string {
	return strings.TrimPrefix(roffEscapes.Replace("\n"+s), "\n")
}
