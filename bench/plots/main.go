// Command plots draws the figures of the experiments: CSV files come in, an SVG
// for each comes out, named as the file and its folder. It is a module of its
// own, so that simdb does not depend on what draws.
//
//	go run . -o DIR FILE.csv…
//
// Which figure a file is follows from its columns; figures.go has the list.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "plots:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("plots", flag.ContinueOnError)
	out := flags.String("o", ".", "folder to write to")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return fmt.Errorf("name the CSV files to draw; one of these column lists makes a figure:\n%s", known())
	}
	if err := os.MkdirAll(*out, 0o755); err != nil {
		return err
	}
	for _, name := range flags.Args() {
		svg, err := drawFile(name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		to := filepath.Join(*out, svgName(name))
		if err := os.WriteFile(to, svg, 0o644); err != nil {
			return err
		}
		fmt.Fprintln(stdout, to)
	}
	return nil
}

// svgName makes plagiarism-by_k.svg of bench/plagiarism/by_k.csv.
func svgName(name string) string {
	if abs, err := filepath.Abs(name); err == nil {
		name = abs
	}
	base := strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
	return filepath.Base(filepath.Dir(name)) + "-" + base + ".svg"
}

func drawFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := readTable(f)
	if err != nil {
		return nil, err
	}
	fig, err := figureOf(t)
	if err != nil {
		return nil, err
	}
	curves, err := fig.curves(t)
	if err != nil {
		return nil, err
	}
	return fig.draw(curves)
}
