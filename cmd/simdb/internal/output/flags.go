package output

// The flags that say how answers are written: --format with its short form --json, and
// --color. Every command that writes rows takes them from here.

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// FormatFlag adds --format, which is one of some formats, and --json where that is one of
// them. Of several on a command line the last counts. to holds the default.
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

// SetFormat chooses a format of some, and refuses what is none of them.
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

// Color says when there is colour: auto, always or never. The zero value is auto.
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

// on reports whether an output has colour, which may be a terminal. NO_COLOR (no-color.org)
// and a terminal that is dumb turn it off, but not against the word of the command line.
func (c Color) on(terminal bool) bool {
	if c == "always" || c == "never" {
		return c == "always"
	}
	return terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// ColorFlag adds --color to a command and all below it.
func ColorFlag(root *cobra.Command) {
	c := Color("auto")
	root.PersistentFlags().Var(&c, "color", "colour: always, never, or auto, which is on a terminal unless NO_COLOR is set")
	Offer(root, "color", colors...)
}

// ColorOf returns what the command line says.
func ColorOf(cmd *cobra.Command) Color {
	if f := cmd.Flag("color"); f != nil {
		return Color(f.Value.String())
	}
	return ""
}

// Offer lets shells complete the value of a flag.
func Offer(cmd *cobra.Command, flag string, values ...string) {
	err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(err) // there is no such flag: a mistake of the program
	}
}
