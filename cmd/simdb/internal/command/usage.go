package command

// The usage of a command, with its subcommands and flags in groups: the help, the manual pages and
// docs/commands.md have the same ones.

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/simdb/simdb/cmd/simdb/internal/exit"
)

const (
	usageWidth    = 88 // columns, as the texts of the help
	mostUngrouped = 11 // flags of a command that shows them in one list, with --help
)

// flagGroups lists the groups of flags. A flag has the same meaning in every command, so its name
// determines its group.
var flagGroups = []struct{ title, names string }{
	{"Collection", "in with resume scale delete-all watch"},
	{"Fields and ids", "delimiter id id-field metadata prefix strip text-field"},
	{"Which files", "binary exclude gitignore input-format rendition"},
	{"Similar texts and duplicates", "against delete groups if-exists ignoring keep keep-numbers last-wins pairs passage passages sample sim unless-similar using"},
	{"Access", "addr allow-remember allow-writes create host probe read-only token token-file until-eof"},
	{"Speed and limits", "max-bytes max-doc max-ratio max-rows max-time memory refresh"},
	{"Output and reports", "audit dry-run format help json max-width out quiet rejects report task"},
}

// A FlagGroup has no title if the command has few flags.
type FlagGroup struct {
	Title string
	Flags *pflag.FlagSet
}

// FlagGroups returns the visible flags of a command in groups, without inherited ones.
func FlagGroups(cmd *cobra.Command) (groups []FlagGroup) {
	cmd.InitDefaultHelpFlag()
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			all.AddFlag(f)
		}
	})
	add := func(title string, has func(name string) bool) {
		g := FlagGroup{title, pflag.NewFlagSet("", pflag.ContinueOnError)}
		all.VisitAll(func(f *pflag.Flag) {
			if has(f.Name) {
				g.Flags.AddFlag(f)
			}
		})
		if g.Flags.HasFlags() {
			groups = append(groups, g)
		}
	}
	count := 0
	if all.VisitAll(func(*pflag.Flag) { count++ }); count <= mostUngrouped {
		return []FlagGroup{{"", all}}
	}
	var grouped []string
	for _, g := range flagGroups {
		names := strings.Fields(g.names)
		add(g.title, func(name string) bool { return slices.Contains(names, name) })
		grouped = append(grouped, names...)
	}
	add("Other flags", func(name string) bool { return !slices.Contains(grouped, name) })
	return groups
}

// A CommandGroup lists subcommands with a common purpose.
type CommandGroup struct {
	Title    string
	Commands []*cobra.Command
}

// CommandGroups returns the visible subcommands of a command in groups.
func CommandGroups(cmd *cobra.Command) (groups []CommandGroup) {
	for _, g := range append(cmd.Groups(), &cobra.Group{Title: "Commands"}) {
		var in []*cobra.Command
		for _, c := range cmd.Commands() {
			if c.GroupID == g.ID && (c.IsAvailableCommand() || c.Name() == "help") {
				in = append(in, c)
			}
		}
		if in != nil {
			groups = append(groups, CommandGroup{g.Title, in})
		}
	}
	return groups
}

// FlagUsages returns the flags of a command in groups, each after an empty line and a title.
func FlagUsages(cmd *cobra.Command) string {
	var b strings.Builder
	for _, g := range FlagGroups(cmd) {
		fmt.Fprintf(&b, "\n%s:\n%s", cmp.Or(g.Title, "Flags"), g.Flags.FlagUsagesWrapped(usageWidth))
	}
	return b.String()
}

// Usage writes the usage of a command, in place of the function of cobra, which has no groups of
// flags.
func Usage(cmd *cobra.Command) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage:\n  %s\n", cmd.UseLine())
	if cmd.HasExample() {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", cmd.Example)
	}
	for _, g := range CommandGroups(cmd) {
		fmt.Fprintf(&b, "\n%s:\n", g.Title)
		for _, c := range g.Commands {
			fmt.Fprintf(&b, "  %-*s %s\n", c.NamePadding(), c.Name(), c.Short)
		}
	}
	b.WriteString(FlagUsages(cmd))
	if cmd.HasAvailableInheritedFlags() {
		fmt.Fprintf(&b, "\nGlobal flags:\n%s", cmd.InheritedFlags().FlagUsagesWrapped(usageWidth))
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n%s COMMAND --help describes a command.\n", cmd.CommandPath())
	}
	_, err := io.WriteString(cmd.OutOrStderr(), b.String())
	return err
}

// OnlyWith returns an error if the user has set a flag that does not go with another one.
func OnlyWith(cmd *cobra.Command, with string, permitted []string) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if !slices.Contains(permitted, f.Name) {
			err = exit.Usagef("--%s does not go with --%s", f.Name, with)
		}
	})
	return err
}
