// Command limits measures what the greatest inputs take that simdb accepts: texts of 16 MiB
// that were made to hurt, metadata, statements and lines at their limits. Each case runs in
// a process of its own, so that its peak memory is its own, and is ended if it takes too
// long. It prints the table of RESULTS.md.
//
//	go -C bench run ./limits [-time 60s] [-dir DIR] [-only WORD] [-soft BYTES]
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/simdb/simdb/internal/slack"
)

// What a case may take to be within the aim.
const (
	aimBytes = 512 << 20
	aimTime  = 30 * time.Second
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "limits:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("limits", flag.ContinueOnError)
	most := flags.Duration("time", time.Minute, "what a case may take; then it is ended")
	dir := flags.String("dir", "", "folder for the stores; default a temporary one")
	only := flags.String("only", "", "measure only the cases whose input or call has this word in it")
	soft := flags.Int64("soft", 0, "bound the memory left to garbage by this limit, as the command does by 400 MiB")
	child := flags.String("child", "", "run this case in this process, in the store -dir")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *child != "" {
		if *soft > 0 {
			defer slack.Bound(*soft)()
		}
		return runChild(ctx, *child, *dir)
	}
	if *dir == "" {
		temp, err := os.MkdirTemp("", "simdb-limits-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(temp)
		*dir = temp
	}
	fmt.Println("| input | size | call | time | peak memory | |")
	fmt.Println("| --- | --- | --- | ---: | ---: | --- |")
	for _, c := range cases() {
		if !strings.Contains(c.name(), *only) && !(c.makes && strings.Contains(*only, c.input)) {
			continue
		}
		if err := measure(ctx, c, filepath.Join(*dir, strings.ReplaceAll(c.input, " ", "-")), *most, *soft); err != nil {
			return err
		}
	}
	return nil
}

// measure runs a case in a child and prints its row. What went wrong is in the row too.
func measure(ctx context.Context, c task, dir string, most time.Duration, soft int64) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	bounded, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	cmd := exec.CommandContext(bounded, self, "-child", c.name(), "-dir", dir, "-soft", strconv.FormatInt(soft, 10))
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	row := fmt.Sprintf("| %s | %s | %s |", c.input, c.size, c.call)
	if bounded.Err() != nil {
		fmt.Println(row, "over", most, "| – | not within the aim |")
		return nil
	}
	if err != nil {
		fmt.Printf("%s – | – | failed: %s |\n", row, strings.TrimSpace(problems.String()))
		return nil
	}
	fields := strings.Fields(string(out))
	if len(fields) != 2 {
		return fmt.Errorf("%s prints %q", c.name(), out)
	}
	nanoseconds, err1 := strconv.ParseInt(fields[0], 10, 64)
	peak, err2 := strconv.ParseInt(fields[1], 10, 64)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	took, verdict := time.Duration(nanoseconds), ""
	if took > aimTime || peak > aimBytes {
		verdict = "not within the aim"
	}
	fmt.Printf("%s %.1f s | %s | %s |\n", row, took.Seconds(), megabytes(peak), verdict)
	return nil
}

func megabytes(bytes int64) string {
	if bytes == 0 {
		return "not known"
	}
	return fmt.Sprintf("%d MB", bytes>>20)
}

// runChild runs one case and prints what it took: nanoseconds, and the most bytes that were
// in memory, 0 where the system does not tell. Opening and closing the store are not timed.
func runChild(ctx context.Context, name, dir string) error {
	for _, c := range cases() {
		if c.name() != name {
			continue
		}
		took, err := c.do(ctx, dir)
		if err != nil {
			return err
		}
		fmt.Println(took.Nanoseconds(), ownPeak())
		return nil
	}
	return fmt.Errorf("there is no case %q", name)
}

// ownPeak returns the most bytes that this process had in memory, as Linux counts them.
func ownPeak() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, line, _ := strings.Cut(string(status), "VmHWM:")
	kilobytes, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	n, err := strconv.ParseInt(kilobytes, 10, 64)
	if err != nil {
		return 0
	}
	return n << 10
}
