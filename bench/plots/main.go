// Command plots draws the figures of the experiments: CSV files come in, an SVG
// for each comes out, beside it. It is a module of its own, so that simdb does
// not depend on what draws.
//
//	go run . FILE.csv…
//
// Which figure a file is follows from its columns; figures.go has the list.
package main

import (
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
	if len(args) == 0 {
		return fmt.Errorf("name the CSV files to draw; one of these column lists makes a figure:\n%s", known())
	}
	for _, name := range args {
		svg, err := drawFile(name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		to := strings.TrimSuffix(name, filepath.Ext(name)) + ".svg"
		if err := os.WriteFile(to, svg, 0o644); err != nil {
			return err
		}
		fmt.Fprintln(stdout, to)
	}
	return nil
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
