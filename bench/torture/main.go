// Command torture runs the long column of the tests of durability, a row after the other,
// for hours, and shows what they tried as a table. It is run in the folder bench. Rows that are done are kept in a file and
// not run again, so that it can be ended at any time and go on later; a row that failed
// stands in the table and is run again.
//
//	go -C bench run ./torture -out ../bin/torture             all rows
//	go -C bench run ./torture -out ../bin/torture D1 C1=5000  these, the second with so many tries
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/simdb/simdb/internal/torture"
)

// result is what a row has come to.
type result struct {
	ID      string
	Tried   int // as the tests reported it, 0 if they tell no number
	Seconds int
	Failed  bool
	Date    string
}

func main() {
	out := flag.String("out", "../bin/torture", "folder for the results, the outputs and the table")
	short := flag.Bool("ci", false, "the column CI instead of the long one")
	flag.Parse()
	if err := run(*out, *short, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(out string, short bool, asked []string) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	done, err := load(filepath.Join(out, "results.jsonl"))
	if err != nil {
		return err
	}
	failed := 0
	for _, row := range torture.Rows {
		i := slices.IndexFunc(asked, func(a string) bool { id, _, _ := strings.Cut(a, "="); return id == row.ID })
		if r, ok := done[row.ID]; len(asked) > 0 && i < 0 || len(asked) == 0 && ok && !r.Failed {
			continue
		}
		tries := "long"
		if short {
			tries = "ci"
		}
		if i >= 0 && strings.Contains(asked[i], "=") {
			tries = asked[i]
		}
		r, err := runRow(row, tries, out)
		if err != nil {
			return err
		}
		if r.Failed {
			failed++
		}
		done[row.ID] = r
		if err := save(filepath.Join(out, "results.jsonl"), r); err != nil {
			return err
		}
	}
	f, err := os.Create(filepath.Join(out, "table.md"))
	if err != nil {
		return err
	}
	table(io.MultiWriter(os.Stdout, f), done)
	if err := f.Close(); err != nil {
		return err
	}
	if failed > 0 {
		return fmt.Errorf("%d rows failed; their outputs are in %s", failed, out)
	}
	return nil
}

// load reads the results that are there; the last of a row counts.
func load(path string) (map[string]result, error) {
	done := map[string]result{}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return done, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for d := json.NewDecoder(f); ; {
		var r result
		if err := d.Decode(&r); err == io.EOF {
			return done, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		done[r.ID] = r
	}
}

func save(path string, r result) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	return errors.Join(json.NewEncoder(f).Encode(r), f.Close())
}

// runRow runs the tests of a row. What they print goes into a file. Ctrl-C ends them, and
// the row is not done.
func runRow(row torture.Row, tries, out string) (result, error) {
	fmt.Fprintf(os.Stderr, "%s: %s …\n", row.ID, row.What)
	f, err := os.Create(filepath.Join(out, row.ID+".txt"))
	if err != nil {
		return result{}, err
	}
	defer f.Close()
	begin := time.Now()
	cmd := exec.Command("go", "test", "-count", "1", "-timeout", "48h", "-v", "-run", "^("+row.Test+")$", ".")
	cmd.Dir = filepath.Join("..", row.Package)
	cmd.Env = append(os.Environ(), "SIMDB_TORTURE="+tries)
	cmd.Stdout, cmd.Stderr = f, f
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, os.Interrupt)
	defer signal.Stop(ended)
	err = cmd.Run()
	select {
	case <-ended:
		return result{}, fmt.Errorf("%s was interrupted; run torture again to go on", row.ID)
	default:
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return result{}, err
	}
	r := result{ID: row.ID, Failed: err != nil, Seconds: int(time.Since(begin).Seconds()), Date: begin.UTC().Format(time.DateOnly)}
	r.Tried, err = tried(f, row.ID)
	return r, err
}

// tried finds in the output of a test what torture.Report wrote.
func tried(f *os.File, id string) (n int, err error) {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	report := regexp.MustCompile(regexp.QuoteMeta(torture.Mark+id) + ` (\d+)$`)
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		if m := report.FindStringSubmatch(lines.Text()); m != nil {
			one, err := strconv.Atoi(m[1])
			if err != nil {
				return 0, err
			}
			n += one
		}
	}
	return n, lines.Err()
}

func table(w io.Writer, done map[string]result) {
	fmt.Fprint(w, "| row | tried are | tries | failed | seconds | on |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, row := range torture.Rows {
		r, ok := done[row.ID]
		if !ok {
			continue
		}
		tries, failed := "all", "0"
		if r.Tried > 0 {
			tries = strconv.Itoa(r.Tried)
		}
		if r.Failed {
			failed = "see " + row.ID + ".txt"
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s | %d | %s |\n", row.ID, row.What, tries, failed, r.Seconds, r.Date)
	}
}
