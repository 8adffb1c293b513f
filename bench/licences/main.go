// Command licences says how often simdb licence is right.
//
// It is given the texts of shared/corpora/licensecheck.jsonl.gz, of which is known what they
// are. It writes each to a file, asks the command once, and counts. So it measures what a user
// gets, and knows nothing of how it is found.
package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// text is one text, and what it is.
type text struct {
	ID      string   `json:"id"`
	Text    string   `json:"text"`
	Labels  []string `json:"labels"`
	Covered float64  `json:"covered_percent"`
}

// found is a row of the command.
type found struct {
	Path    string  `json:"path"`
	Licence *string `json:"licence"`
	Sim     float64 `json:"sim"`
}

func main() {
	corpora := flag.String("corpora", os.Getenv("SIMDB_CORPORA"), "where licensecheck.jsonl.gz and spdx/ are")
	program := flag.String("simdb", "simdb", "the command")
	wrong := flag.Bool("wrong", false, "show what is not right")
	assets := flag.String("assets", "", "the assets of the module licenseclassifier: ask these and spdx/ alone, and so no pattern that was written beside the texts")
	flag.Parse()
	flags := flag.Args()
	if *assets != "" {
		list, err := listOf(*assets, filepath.Join(*corpora, "spdx"))
		if err != nil {
			fmt.Fprintln(os.Stderr, "licences:", err)
			os.Exit(1)
		}
		defer os.RemoveAll(list)
		flags = append(flags, "--only-list", "--list", list, "--list", filepath.Join(*corpora, "spdx"))
	}
	if err := run(*corpora, *program, flags, *wrong); err != nil {
		fmt.Fprintln(os.Stderr, "licences:", err)
		os.Exit(1)
	}
}

func run(corpora, program string, flags []string, wrong bool) error {
	texts, err := read(filepath.Join(corpora, "licensecheck.jsonl.gz"))
	if err != nil {
		return err
	}
	listed, err := idsOf(filepath.Join(corpora, "spdx"))
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "licences")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, t := range texts {
		if err := os.WriteFile(filepath.Join(dir, t.ID), []byte(t.Text), 0o666); err != nil {
			return err
		}
	}
	begin := time.Now()
	cmd := exec.Command(program, append(append([]string{"licence", "--format", "ndjson"}, flags...), dir)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 3) { // 3: the empty text may be passed over
		return err
	}
	took := time.Since(begin)
	said := map[string]found{}
	for line := range bytes.Lines(out) {
		var f found
		if err := json.Unmarshal(line, &f); err != nil {
			return err
		}
		said[filepath.Base(f.Path)] = f
	}
	count(texts, said, listed, wrong)
	fmt.Printf("\n%d texts, %.1f s with the start\n", len(texts), took.Seconds())
	return nil
}

func read(path string) (texts []text, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		return nil, err
	}
	for d := json.NewDecoder(z); ; {
		var t text
		if err := d.Decode(&t); errors.Is(err, io.EOF) {
			return texts, nil
		} else if err != nil {
			return nil, err
		}
		texts = append(texts, t)
	}
}

// listOf makes a folder for --list of the assets that are called by an id of SPDX: headers also by their first
// paragraph, as the command knows them.
func listOf(assets, spdx string) (string, error) {
	listed, err := idsOf(spdx)
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "list")
	if err != nil {
		return "", err
	}
	files, err := filepath.Glob(filepath.Join(assets, "*", "*", "*.txt"))
	for _, file := range files {
		kind, id := filepath.Base(filepath.Dir(filepath.Dir(file))), filepath.Base(filepath.Dir(file))
		b, err := os.ReadFile(file)
		if err != nil {
			return dir, err
		}
		texts := map[string]string{"": string(b)}
		first, _, more := strings.Cut(strings.TrimSpace(strings.ReplaceAll(string(b), "\n#\n", "\n\n")), "\n\n")
		if more && kind == "Header" && len(strings.Fields(first)) >= 12 {
			texts["1."] = first
		}
		for which, text := range texts {
			name := id + "@" + strings.ToLower(kind) + "." + which + filepath.Base(file)
			if kind != "Supplement" && listed[id] {
				err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
			}
		}
		if err != nil {
			return dir, err
		}
	}
	return dir, err
}

func idsOf(dir string) (map[string]bool, error) {
	files, err := os.ReadDir(dir)
	ids := map[string]bool{}
	for _, f := range files {
		ids[strings.TrimSuffix(f.Name(), ".txt")] = true
	}
	return ids, err
}

// family is an id without what the text of a licence cannot tell.
func family(id string) string {
	for _, end := range []string{"-only", "-or-later", "+"} {
		id = strings.TrimSuffix(id, end)
	}
	return id
}

// kind says what is counted together.
func kind(t text, listed map[string]bool) string {
	switch {
	case len(t.Labels) == 0:
		return "no licence"
	case len(t.Labels) > 1:
		return "several licences"
	case !listed[t.Labels[0]]:
		return "not in the SPDX list"
	case strings.Contains(t.ID, "Header") || family(t.Labels[0]) != t.Labels[0]:
		return "header"
	case t.Covered < 75:
		return "partly"
	}
	return "full text"
}

// tally counts the texts of a kind. exact are those right whose ids are equal to the letter.
type tally struct{ texts, right, exact, wrong, none int }

func count(texts []text, said map[string]found, listed map[string]bool, wrong bool) {
	tallies, kinds := map[string]*tally{}, []string{}
	for _, t := range texts {
		k := kind(t, listed)
		h := fnv.New32()
		io.WriteString(h, t.ID)
		for _, name := range []string{k, fmt.Sprintf("%s, half %d", k, 1+h.Sum32()%2)} {
			if tallies[name] == nil {
				tallies[name] = &tally{}
				kinds = append(kinds, name)
			}
			tallies[name].add(t, said[t.ID].Licence)
		}
		if id := said[t.ID].Licence; wrong && !isRight(t, id) {
			name := "none"
			if id != nil {
				name = *id
			}
			fmt.Printf("%s: %s %v: %s %.3f\n", k, t.ID, t.Labels, name, said[t.ID].Sim)
		}
	}
	slices.Sort(kinds)
	fmt.Println("kind,texts,right,to the letter,wrong,none")
	for _, k := range kinds {
		n := tallies[k]
		fmt.Printf("%q,%d,%d,%d,%d,%d\n", k, n.texts, n.right, n.exact, n.wrong, n.none)
	}
}

func isRight(t text, id *string) bool {
	return id == nil && len(t.Labels) == 0 ||
		id != nil && slices.ContainsFunc(t.Labels, func(l string) bool { return family(l) == family(*id) })
}

func (n *tally) add(t text, id *string) {
	n.texts++
	switch {
	case isRight(t, id):
		n.right++
		if id != nil && slices.Contains(t.Labels, *id) {
			n.exact++
		}
	case id == nil:
		n.none++
	default:
		n.wrong++
	}
}
