package command

// Flags whose value is a size or a duration. All commands parse them in the same way.

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
)

// AnySize is the greatest size of a flag without a limit, in bytes.
const AnySize = math.MaxInt64

// SizeFlag adds a flag for a size from least to most bytes. *to holds the default and receives the
// value; the help shows no default of 0.
func SizeFlag(cmd *cobra.Command, to *int64, name string, least, most int64, usage string) {
	cmd.Flags().Var(&size{to, least, most}, name, usage)
}

// size is the value of a flag of SizeFlag.
type size struct {
	to          *int64
	least, most int64
}

func (s *size) Set(text string) error {
	n, err := output.ParseBytes(text)
	switch {
	case err == nil && n >= s.least && n <= s.most:
		*s.to = n
		return nil
	case s.most == AnySize:
		return fmt.Errorf("want a size of at least %s, like 512MB or 2GiB", output.Size(s.least))
	}
	return fmt.Errorf("want a size from %s to %s, like 500kB or 16MiB", output.Size(s.least), output.Size(s.most))
}

func (s *size) String() string {
	if *s.to == 0 {
		return ""
	}
	return output.Size(*s.to)
}

func (s *size) Type() string { return "SIZE" }

// DurationFlag adds a flag for a positive duration. *to holds the default and receives the value;
// the help shows no default of 0.
func DurationFlag(cmd *cobra.Command, to *time.Duration, name, usage string) {
	cmd.Flags().Var((*duration)(to), name, usage)
}

// duration is the value of a flag of DurationFlag.
type duration time.Duration

func (d *duration) Set(text string) error {
	parsed, err := output.ParseDuration(text)
	if err == nil {
		*d = duration(parsed)
	}
	return err
}

func (d *duration) String() string {
	if *d == 0 {
		return ""
	}
	return output.Duration(time.Duration(*d))
}

func (d *duration) Type() string { return "DURATION" }

// ParseShare parses --task I/N.
func ParseShare(s string) (i, n int, err error) {
	first, second, ok := strings.Cut(s, "/")
	i, err1 := strconv.Atoi(first)
	n, err2 := strconv.Atoi(second)
	if !ok || err1 != nil || err2 != nil || i < 1 || i > n {
		return 0, 0, exit.Usagef("--task %q: want I/N with 1 ≤ I ≤ N, as 3/8", s)
	}
	return i, n, nil
}

// ParseIgnoring parses --ignoring: a number of texts, or a collection.
func ParseIgnoring(s string) (i api.Ignoring) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil && n > 0 {
		i.MoreThan = n
	} else {
		i.In = s
	}
	return i
}
