package scale

// Input of simdb scale: the division into parts, and the documents of a part.

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/columnar"
	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/internal/ingest"
	"github.com/simdb/simdb/internal/scale"
)

const (
	partBytes = 64 << 20 // minimal part of a file of lines or of Parquet
	mostParts = 1 << 15  // approximate limit of parts
)

var (
	divisible   = []string{".jsonl", ".ndjson", ".parquet"}
	recordFiles = append([]string{".csv", ".arrow"}, divisible...)
	packings    = []string{".gz", ".zst", ".xz", ".bz2"}
)

// inputsOf returns the parts of the inputs and an estimate of their text in bytes. fields names the
// fields of records that contain id and text.
func inputsOf(ctx context.Context, paths []string, fields scale.Fields) (inputs []scale.Input, size int64, err error) {
	var files []string
	for _, path := range paths {
		found, err := filesOf(ctx, path)
		if err != nil {
			return nil, 0, err
		}
		files = append(files, found...)
	}
	var whole []scale.Input
	total := int64(0)
	for _, path := range files {
		in := scale.Input{Path: path, Fields: fields}
		info, err := os.Stat(path)
		if err != nil {
			return nil, 0, err
		}
		if info.IsDir() {
			total += storeBytes(path)
		} else {
			in.Size, in.Time = info.Size(), info.ModTime().UnixNano()
			if total += in.Size; packed(path) || filepath.Ext(path) == ".parquet" {
				total += 3 * in.Size
			}
		}
		whole = append(whole, in)
	}
	part := max(partBytes, total/mostParts)
	for _, in := range whole {
		if !slices.Contains(divisible, filepath.Ext(in.Path)) {
			inputs = append(inputs, in)
			continue
		}
		n := max((in.Size+part-1)/part, 1)
		for i := range n {
			in.From, in.To = in.Size*i/n, in.Size*(i+1)/n
			inputs = append(inputs, in)
		}
	}
	return inputs, total, nil
}

// packed reports whether a file is compressed, and so cannot be divided.
func packed(path string) bool { return slices.Contains(packings, filepath.Ext(path)) }

// isRecords reports whether the name of a file is that of a file of records.
func isRecords(name string) bool {
	if packed(name) {
		name = strings.TrimSuffix(name, filepath.Ext(name))
	}
	return slices.Contains(recordFiles, filepath.Ext(name))
}

// storeBytes estimates the text in a database, in bytes, by the sizes of its files.
func storeBytes(dir string) (size int64) {
	filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil // the result is an estimate
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			size += info.Size()
		}
		return nil
	})
	return size
}

// filesOf returns the files of a directory, or the file or database itself.
func filesOf(ctx context.Context, path string) (files []string, err error) {
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	switch {
	case info.IsDir() && ingest.IsStore(path):
		return []string{path}, nil
	case info.IsDir():
	case !info.Mode().IsRegular() || !isRecords(path):
		return nil, exit.Failf(exit.Rejected, "%s is no file of records (%s, compressed or not) and no database; import it, and name the database", path, strings.Join(recordFiles, ", "))
	default:
		return []string{path}, nil
	}
	entries, err := os.ReadDir(path)
	for _, e := range entries {
		// The writers of datasets leave notes such as _SUCCESS and .part-0.parquet.crc beside the files.
		if strings.ContainsRune("._", rune(e.Name()[0])) && !e.IsDir() && !isRecords(e.Name()) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		found, err := filesOf(ctx, filepath.Join(path, e.Name()))
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	if err == nil && len(files) == 0 {
		err = exit.Failf(exit.Rejected, "%s is an empty directory", path)
	}
	return files, err
}

// source returns a reader of documents. memory is the budget of a database in bytes.
func source(memory int64) scale.Source {
	return func(ctx context.Context, in scale.Input, each func(id, text string) error) (scale.Rejects, error) {
		info, err := os.Stat(in.Path)
		if err != nil {
			return scale.Rejects{}, err
		}
		if info.IsDir() {
			return scale.Rejects{}, readDocuments(ctx, in.Path, memory, func(d api.Document) error { return each(d.ID, d.Text) })
		}
		if err := unchanged(in); err != nil {
			return scale.Rejects{}, err
		}
		o := ingest.Options{
			IDField:   cmp.Or(in.Fields.ID, "id"), // required: places in a part differ from places in its file
			TextField: in.Fields.Text, Tables: tables(in, memory),
		}
		path := in.Path
		if linesOf(in) {
			f, err := os.Open(in.Path)
			if err != nil {
				return scale.Rejects{}, err
			}
			defer f.Close()
			lines, err := linesBetween(f, in)
			if err != nil || lines.Size() == 0 {
				return scale.Rejects{}, err
			}
			o.Stdin, o.StdinName, o.Format, path = lines, in.Path, "jsonl", "-"
		}
		return readRecords(ctx, path, in, o, each)
	}
}

// tables returns the reader of the rows of a part. memory is its budget in bytes.
func tables(in scale.Input, memory int64) columnar.Reader {
	return columnar.Reader{MemoryBytes: memory, From: in.From, To: in.To}
}

// linesOf reports whether a part is a range of lines.
func linesOf(in scale.Input) bool { return in.To > 0 && filepath.Ext(in.Path) != ".parquet" }

// unchanged returns an error if a file changed since the manifest was written.
func unchanged(in scale.Input) error {
	info, err := os.Stat(in.Path)
	if err == nil && (info.Size() != in.Size || info.ModTime().UnixNano() != in.Time) {
		err = exit.Failf(exit.Rejected, "%s has changed since the manifest was written; name a new work directory", in.Path)
	}
	return err
}

// rejectedIn describes a reject with its place and its reason.
func rejectedIn(in scale.Input, r api.Reject) string {
	return fmt.Sprintf("%s, line %d of the part from byte %d: %s", in.Path, r.Line, in.From, r.Reason)
}

// readRecords reads the records of a part of a file, and counts rejects.
func readRecords(ctx context.Context, path string, in scale.Input, o ingest.Options, each func(id, text string) error) (r scale.Rejects, err error) {
	for batch, err := range ingest.Read(ctx, []string{path}, o) {
		if err != nil {
			return r, err
		}
		for _, x := range batch.Rejects {
			if r.Count++; r.Count == 1 {
				r.First = rejectedIn(in, x)
			}
		}
		for _, d := range batch.Docs {
			if err := each(d.ID, d.Text); err != nil {
				return r, err
			}
		}
	}
	return r, nil
}

// linesBetween returns the lines that begin in a part of a file.
func linesBetween(f *os.File, in scale.Input) (*io.SectionReader, error) {
	begin, err := lineFrom(f, in.From, in.Size)
	if err != nil {
		return nil, err
	}
	end, err := lineFrom(f, in.To, in.Size)
	return io.NewSectionReader(f, begin, end-begin), err
}

// lineFrom returns the offset of the first line that begins at or after at.
func lineFrom(f *os.File, at, size int64) (int64, error) {
	if at == 0 || at >= size {
		return min(at, size), nil
	}
	b := bufio.NewReader(io.NewSectionReader(f, at-1, size-at+1))
	for at--; ; {
		line, err := b.ReadSlice('\n')
		at += int64(len(line))
		if err == nil || errors.Is(err, io.EOF) {
			return at, nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return 0, err
		}
	}
}

// readDocuments reads the documents of a database. At most one collection may have documents.
func readDocuments(ctx context.Context, path string, memory int64, each func(api.Document) error) error {
	db, err := command.OpenExisting(ctx, path, true, memory)
	if err != nil {
		return err
	}
	defer db.Close()
	s, err := db.Snapshot()
	if err != nil {
		return err
	}
	defer s.Close()
	all, err := s.Collections(ctx)
	if err != nil {
		return err
	}
	collections := slices.DeleteFunc(all, func(c api.CollectionInfo) bool { return c.Documents == 0 })
	if len(collections) > 1 {
		return exit.Failf(exit.Rejected, "%s has %d collections with documents; export the one that is meant: simdb export --in NAME", path, len(collections))
	}
	for _, c := range collections {
		for d, err := range s.Documents(ctx, c.Name) {
			if err != nil {
				return err
			}
			if err := each(d); err != nil {
				return err
			}
		}
	}
	return nil
}
