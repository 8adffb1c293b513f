package output

// Flags whose value is one of several words, such as --format and --color.

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// WordFlag adds a flag with one of the given words as its value. *to holds the default, the first
// word if it is empty, and receives the value.
func WordFlag[T ~string](cmd *cobra.Command, to *T, name string, words []string, usage string) {
	*to = cmp.Or(*to, T(words[0]))
	cmd.Flags().Var(word[T]{to, words}, name, usage)
	Offer(cmd, name, words...)
}

// FormatFlag adds --format with the given formats, and --json if they include json. The last flag
// of a command line wins. about follows the list of formats in the help.
func FormatFlag(cmd *cobra.Command, to *string, formats []string, about string) {
	WordFlag(cmd, to, "format", formats, "output `FORMAT`: "+strings.Join(formats, ", ")+about)
	if slices.Contains(formats, "json") {
		cmd.Flags().Var(shortFlag{word[string]{to, formats}}, "json", "short for --format json")
		cmd.Flags().Lookup("json").NoOptDefVal = "true"
	}
}

// word is the value of a flag of WordFlag.
type word[T ~string] struct {
	to    *T
	words []string
}

func (w word[T]) String() string { return string(*w.to) }
func (w word[T]) Type() string   { return "WORD" }

func (w word[T]) Set(text string) error {
	if !slices.Contains(w.words, text) {
		return fmt.Errorf("use %s", OrList(w.words))
	}
	*w.to = T(text)
	return nil
}

// SetFormat sets to to a format, or returns an error if it is not in formats.
func SetFormat(to *string, name string, formats []string) error {
	if err := (word[string]{to, formats}).Set(name); err != nil {
		return fmt.Errorf("unknown format %q; %w", name, err)
	}
	return nil
}

// OrList joins words as a choice: a, b or c.
func OrList(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// shortFlag is the value of --json.
type shortFlag struct{ word[string] }

func (s shortFlag) String() string   { return "false" }
func (s shortFlag) Type() string     { return "bool" }
func (s shortFlag) IsBoolFlag() bool { return true }

func (s shortFlag) Set(text string) error {
	on, err := strconv.ParseBool(text)
	if err == nil && on {
		err = s.word.Set("json")
	}
	return err
}

// Color is the value of --color: auto, always or never. The zero value is auto.
type Color string

var colors = []string{"auto", "always", "never"}

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
	root.PersistentFlags().Var(word[Color]{&c, colors}, "color", "use colour: always, never, or auto (on a terminal unless NO_COLOR is set)")
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
