package maintain

// Files without their duplicates, as dedupe of files writes them.

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
	"github.com/simdb/simdb/internal/ingest"
)

// thinners write a source without the units that go, by its kind. A source of another kind is one
// text, which stays or goes as a whole, unless it holds several documents.
var thinners = map[string]func(ctx context.Context, s *source, to io.Writer) error{
	"JSON lines": thinLines, "CSV": thinLines, "JSON array": thinArray, "Parquet": thinParquet,
}

// thinner returns the function for a source; nil for a text.
func (s *source) thinner() (func(context.Context, *source, io.Writer) error, error) {
	kind, packed, _ := strings.Cut(s.kind, ", ")
	if thin := thinners[kind]; thin != nil && s.as != nil && !strings.Contains(packed, "UTF-") {
		return thin, nil
	}
	if s.as != nil && (len(s.units) == 0 || len(s.units) == 1 && s.units[0].line == 0) {
		return nil, nil
	}
	return nil, exit.Failf(exit.Rejected, "%s is %s, which cannot be written without its duplicates; convert it to JSON lines, unpack it, or use --dry-run --report FILE",
		output.EscapeControls(s.name), s.kind)
}

// writer prepares the output of what stays: to --out or standard output, for one file of records the
// file without the records that go, otherwise the paths of the files that stay, or with --out copies of
// all files in a new folder.
func (t *thinning) writer(cmd *cobra.Command, paths []string) (func(context.Context) error, error) {
	records := false
	for _, s := range t.sources {
		thin, err := s.thinner()
		if err != nil {
			return nil, err
		}
		records = records || thin != nil || len(s.units) == 0
	}
	one := len(paths) == 1 && len(t.sources) == 1 && records
	if t.out == "" {
		switch stdout := cmd.OutOrStdout(); {
		case !one && records:
			return nil, exit.Usagef("there are several files of records; name a new folder for their copies: --out DIR")
		case one && strings.HasPrefix(t.sources[0].kind, "Parquet") && output.IsTerminal(stdout):
			return nil, exit.Usagef("Parquet is no text; name a file for it: --out FILE")
		case one:
			return func(ctx context.Context) error { return t.sources[0].write(ctx, stdout) }, nil
		default:
			return func(context.Context) error { return t.list(stdout) }, nil
		}
	}
	if one {
		return func(ctx context.Context) error {
			return newFile(t.out, func(to io.Writer) error { return t.sources[0].write(ctx, to) })
		}, nil
	}
	return func(ctx context.Context) error { return t.copyAll(ctx, paths) }, nil
}

// list writes the paths of the files that stay.
func (t *thinning) list(to io.Writer) error {
	w := bufio.NewWriter(to)
	for _, s := range t.sources {
		if s.goes == 0 {
			fmt.Fprintln(w, s.path)
		}
	}
	return w.Flush()
}

// copyAll copies the files that stay to a new folder, under their paths below the folder of the
// input. A failure removes it.
func (t *thinning) copyAll(ctx context.Context, paths []string) (err error) {
	base, err := ingest.Base(slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return strings.HasPrefix(path, t.spool) }))
	if err != nil {
		return err
	}
	if err := os.Mkdir(t.out, 0o777); err != nil {
		return notWritable(err)
	}
	defer func() {
		if err != nil {
			os.RemoveAll(t.out)
		}
	}()
	for _, s := range t.sources {
		if s.goes > 0 && s.goes == len(s.units) {
			continue
		}
		path, err := filepath.Abs(s.path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(base, path)
		if err != nil {
			return err
		}
		if s.isStdin() {
			rel = s.name
		}
		to := filepath.Join(t.out, rel)
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return err
		}
		if err := newFile(to, func(to io.Writer) error { return s.write(ctx, to) }); err != nil {
			return err
		}
	}
	return nil
}

// isStdin reports whether a source is the copy of standard input.
func (s *source) isStdin() bool { return s.name != s.path }

// write writes a source without the units that go. A compressed file becomes uncompressed.
func (s *source) write(ctx context.Context, to io.Writer) error {
	thin, err := s.thinner()
	if err != nil {
		return err
	}
	if thin == nil {
		f, err := os.Open(s.path)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(to, f)
		return err
	}
	slices.SortStableFunc(s.units, func(a, b unit) int { return cmp.Compare(a.line, b.line) })
	w := bufio.NewWriterSize(to, 64<<10)
	err = thin(ctx, s, w)
	if now, statErr := os.Stat(s.path); statErr != nil || now.Size() != s.as.Size() || !now.ModTime().Equal(s.as.ModTime()) {
		err = errors.New("changed while its duplicates were found; run the same command again")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	return w.Flush()
}

// staying reports which records stay, for ascending lines.
type staying struct {
	left []unit // of later lines
	goes bool
}

// stays reports whether the record at a line stays. A record ends where the next one begins, so what
// stands before the first one, such as a header, stays.
func (s *staying) stays(line int64) bool {
	for len(s.left) > 0 && s.left[0].line <= line {
		s.goes, s.left = s.left[0].goes, s.left[1:]
	}
	return !s.goes
}

// end returns an error if there are fewer lines than records, as in a file of other line ends.
func (s *staying) end() error {
	if len(s.left) > 0 {
		return fmt.Errorf("there is no line %d, so the line ends are not those of Unix or Windows; convert them", s.left[0].line)
	}
	return nil
}

// thinLines copies lines as they are.
func thinLines(ctx context.Context, s *source, to io.Writer) error {
	f, err := ingest.Open(s.path, ingest.Options{})
	if err != nil {
		return err
	}
	defer f.Close()
	r, records, keep := bufio.NewReaderSize(f, 64<<10), staying{left: s.units}, true
	begins := true
	for line := int64(0); ; {
		part, err := r.ReadSlice('\n')
		if begins && len(part) > 0 {
			line++
			keep = records.stays(line)
			if line%4096 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
		}
		begins = err == nil
		if keep {
			if _, err := to.Write(part); err != nil {
				return err
			}
		}
		switch {
		case err == io.EOF:
			return records.end()
		case err != nil && err != bufio.ErrBufferFull:
			return err
		}
	}
}

const asLines = "; convert it to JSON lines, for example by jq -c '.[]'"

// thinArray writes the elements of an array as they are, each on a line.
func thinArray(ctx context.Context, s *source, to io.Writer) error {
	f, err := ingest.Open(s.path, ingest.Options{})
	if err != nil {
		return err
	}
	defer f.Close()
	goes := map[int64]bool{}
	for _, u := range s.units {
		goes[u.record] = u.goes
	}
	r := bufio.NewReader(f)
	if mark, _ := r.Peek(3); string(mark) == "\ufeff" {
		r.Discard(len(mark))
	}
	d := json.NewDecoder(r)
	if begin, err := d.Token(); err != nil || begin != json.Delim('[') {
		return errors.New("this array stands in an object" + asLines)
	}
	before := "[\n"
	for n := int64(1); d.More(); n++ {
		var element json.RawMessage
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := d.Decode(&element); err != nil {
			return fmt.Errorf("element %d: %w%s", n, err, asLines)
		}
		if goes[n] {
			continue
		}
		if _, err := io.WriteString(to, before+string(element)); err != nil {
			return err
		}
		before = ",\n"
	}
	if before == "[\n" {
		_, err = io.WriteString(to, "[]\n")
	} else {
		_, err = io.WriteString(to, "\n]\n")
	}
	return err
}

// thinParquet copies rows as they are.
func thinParquet(ctx context.Context, s *source, to io.Writer) error {
	f, err := os.Open(s.path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	records := staying{left: s.units}
	if err := s.tables.Copy(ctx, to, f, info.Size(), records.stays); err != nil {
		return err
	}
	return records.end()
}
