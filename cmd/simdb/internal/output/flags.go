package output

// The flags --format, --json and --color, for all commands that write rows.

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// FormatFlag adds --format with the given formats, and --json if they include json. to holds the
// default and receives the value; the last flag of a command line wins. about precedes the list of
// formats in the help.
func FormatFlag(cmd *cobra.Command, to *string, formats []string, about string) {
	f := formatFlag{to, formats}
	cmd.Flags().Var(f, "format", about+strings.Join(formats, ", "))
	Offer(cmd, "format", formats...)
	if slices.Contains(formats, "json") {
		cmd.Flags().Var(shortFlag{f}, "json", "short for --format json")
		cmd.Flags().Lookup("json").NoOptDefVal = "true"
	}
}

// formatFlag is the value of --format.
type formatFlag struct {
	to      *string
	formats []string
}

func (f formatFlag) String() string {
	if f.to == nil {
		return ""
	}
	return *f.to
}

func (f formatFlag) Type() string { return "F" }

func (f formatFlag) Set(name string) error { return SetFormat(f.to, name, f.formats) }

// SetFormat sets to to a format, or returns an error if it is not in formats.
func SetFormat(to *string, name string, formats []string) error {
	if !slices.Contains(formats, name) {
		return fmt.Errorf("unknown format %q; use one of %s", name, strings.Join(formats, ", "))
	}
	*to = name
	return nil
}

// shortFlag is the value of --json.
type shortFlag struct{ formatFlag }

func (s shortFlag) String() string   { return "false" }
func (s shortFlag) Type() string     { return "bool" }
func (s shortFlag) IsBoolFlag() bool { return true }

func (s shortFlag) Set(text string) error {
	on, err := strconv.ParseBool(text)
	if err == nil && on {
		err = s.formatFlag.Set("json")
	}
	return err
}

// Color is the value of --color: auto, always or never. The zero value is auto.
type Color string

var colors = []string{"auto", "always", "never"}

func (c *Color) String() string { return string(*c) }
func (c *Color) Type() string   { return "WHEN" }

func (c *Color) Set(when string) error {
	if !slices.Contains(colors, when) {
		return fmt.Errorf("want auto, always or never")
	}
	*c = Color(when)
	return nil
}

// on reports whether to colour an output. With auto, NO_COLOR (no-color.org) and a dumb terminal turn
// colour off.
func (c Color) on(terminal bool) bool {
	if c == "always" || c == "never" {
		return c == "always"
	}
	return terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// ColorFlag adds --color to a command and its subcommands.
func ColorFlag(root *cobra.Command) {
	c := Color("auto")
	root.PersistentFlags().Var(&c, "color", "use colour: always, never, or auto (on a terminal unless NO_COLOR is set)")
	Offer(root, "color", colors...)
}

// ColorOf returns the value of --color.
func ColorOf(cmd *cobra.Command) Color {
	if f := cmd.Flag("color"); f != nil {
		return Color(f.Value.String())
	}
	return ""
}

// Offer registers values for the shell completion of a flag.
func Offer(cmd *cobra.Command, flag string, values ...string) {
	err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(err) // the flag does not exist: a bug
	}
}
