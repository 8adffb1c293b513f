// Package ingest turns files, directories, archives, JSONL and CSV into batches
// of (id, text, metadata). The order is the same each time, so that an import
// that was killed can go on after its last batch. The package does not know
// where the batches go, and nothing of the store.
//
// What is read as what (kind.go, shape.go; docs/renditions.md has the rules for users):
//
//   - Compression is told by magic bytes, whatever the name says. What is unpacked is a row of
//     kinds: the first whose rule fits its first bytes, or its name where they say nothing. It is
//     the same for a file that is named, met in a directory or an archive, or standard input,
//     with two exceptions: JSON that may be records or one text is refused where it is named
//     alone and a text where it is met, and one object of standard input is a record.
//   - JSON is records if two lines or more begin with an object, or two objects follow each
//     other, or it is an array of objects, or one stands in an object and has the text field,
//     or it is a table by columns. One object is a text, unless it has an id and a text, or its
//     name or the user says that it is a record. What looks like records without the text field
//     is rejected as a whole.
//   - A zip is unpacked if its name has the ending .zip or none: a .jar is a zip that nobody
//     wants unpacked. An archive in an archive is rejected.
//   - A directory is read with everything below it, also files whose names
//     begin with a dot. Directories named .git and databases of simdb are left
//     out. Symbolic links below it, and everything else that is no regular
//     file, are rejected without being opened.
//   - A glob reads the directory that is its fixed part in the same way, and
//     takes the files that match. A link is rejected if it matches, or if it
//     leads to a directory in which something might match.
//   - Several paths are read as if they were met in a directory, because the shell
//     may have made them of a glob. A single path that is a symbolic link is
//     followed. It is an error to name a database alone, or anything in one.
//   - Standard input, named "-", is read as a file called "stdin".
//
// Ids (base.go, id.go): a record has its own id, else that of its file, # and its number.
// A file has its slash-separated path below the base of the import, with the endings that
// it has. The base is the directory or the archive that is the only path, the fixed part of
// the glob that is, or the directory of the file that is. Of several paths it is the
// deepest directory that holds all of them. In an archive that is not the only path, the
// path of the archive comes first.
package ingest

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"slices"
	"time"

	"github.com/simdb/simdb/api"
)

// Doc is one document as read.
type Doc struct {
	ID         string
	Text       string         // valid UTF-8 unless a warning says otherwise
	Meta       map[string]any // other fields of a record, nil if none; JSON numbers are json.Number, CSV values strings
	Warnings   []string       // what is odd about the document; it is stored all the same
	Source     string         // the file, with the path in the archive, for messages
	Line       int64          // 1-based line of a record, 0 for a file
	File       *File          // if Options.Take took it
	Kind       string         // what it was: a text, a document, a record of some format
	Collection string         // of a line that export has written, if Options.Home; else ""

	numbered bool // the id is the place of the record
	nulls    int  // numbers of the metadata that are no JSON, or that no float64 holds
}

// File is a file of a directory as it was when it was met.
type File struct {
	Rel  string // slash-separated path in the directory
	Size int64
	Time time.Time // of its last change
}

// Options are the options of Read. The zero value has the defaults.
type Options struct {
	Format      string   // auto (also ""), or another of Formats
	ID          string   // what becomes the id: path (also ""), name or sha256
	IDField     string   // of a record that is its id, or a path to it; "" means id, and the place of a record without
	TextField   string   // of a record that are its text, or paths to it, separated by commas; "" means text
	Metadata    []string // fields of a record that are its metadata; nil means all
	Delimiter   byte     // between the fields of CSV; 0 means what the file shows
	Prefix      string   // of every id
	Strip       int      // elements of the paths of files that ids leave out, but never the last one
	Home        bool     // give lines that export has written their collections
	Binary      bool     // read binary files as Latin-1 instead of rejecting them
	MaxDocBytes int64    // largest text in bytes; 0 means 16 MiB
	MaxRatio    int64    // how many times its size a compressed file or an archive may unpack to, 64 MiB at least; 0 means 200, negative any
	MemoryBytes int64    // of which half may be the window of a zstd or the dictionary of an xz; 128 MiB always may
	BatchBytes  int      // input bytes after which a batch is closed; 0 means 1 MiB
	BatchDocs   int      // documents and rejects after which a batch is closed; 0 means 256

	Stdin     io.Reader // what "-" reads; nil refuses that path
	StdinName string    // what Stdin is called, as a file would be; "" means stdin
	FS        fs.FS     // where the paths are, with slashes; nil means the file system of the machine
	After     Position  // skip everything at or before it; "" skips nothing

	Renderer api.Renderer // reads documents; nil reads texts only
	Tables   api.Tables   // reads Parquet and Arrow; nil rejects them

	// Take is asked for each file of a directory whether it is read. With it every file
	// is one text; archives and files of records are rejected.
	Take func(File) (bool, error)

	Exclude   []string // patterns as in .gitignore: files and directories that are passed over
	GitIgnore bool     // heed the .gitignore files below a directory

	OnReject func(api.Reject)                  // called for each reject before its batch is handed over
	Progress func(bytesRead, bytesTotal int64) // input bytes as stored (compressed); total 0 if unknown
}

const (
	defaultMaxDocBytes = 16 << 20
	defaultBatchBytes  = 1 << 20
	defaultBatchDocs   = 256

	progressEvery = 200 * time.Millisecond
)

// OptionsOf returns the options by which an import reads.
func OptionsOf(o api.ImportOptions) Options {
	return Options{
		Format: o.Format, ID: o.ID, IDField: o.IDField, TextField: o.TextField, Metadata: o.Metadata, Delimiter: o.Delimiter,
		Prefix: o.Prefix, Strip: o.Strip, Binary: o.Binary, MaxDocBytes: o.MaxDocBytes, MaxRatio: o.MaxRatio,
		Stdin: o.Stdin, FS: o.FS, Renderer: o.Renderer, Tables: o.Tables, Exclude: o.Exclude, GitIgnore: o.GitIgnore,
	}
}

// Formats are the names of Options.Format.
var Formats = []string{"auto", "text", "jsonl", "json", "map", "csv", "parquet", "arrow", "tar", "warc", "zip"}

func (o Options) withDefaults() (Options, error) {
	o.Format = cmp.Or(o.Format, "auto")
	if !slices.Contains(Formats, o.Format) {
		return o, fmt.Errorf("ingest: unknown format %q; want one of %v", o.Format, Formats)
	}
	if o.MaxDocBytes <= 0 {
		o.MaxDocBytes = defaultMaxDocBytes
	}
	o.MaxRatio = cmp.Or(o.MaxRatio, defaultMaxRatio)
	if o.BatchBytes <= 0 {
		o.BatchBytes = defaultBatchBytes
	}
	if o.BatchDocs <= 0 {
		o.BatchDocs = defaultBatchDocs
	}
	o.StdinName = cmp.Or(o.StdinName, "stdin")
	return o, nil
}

// Batch is some documents that follow each other in the input. An import that
// stores the documents and End together can be resumed.
type Batch struct {
	Docs    []Doc
	End     Position     // Options.After for an import that goes on after this batch
	Rejects []api.Reject // those since the previous batch, in order; a batch may hold only rejects
	Bytes   int64        // sum of the text sizes in Docs

	Warnings []Warning // what is odd about a file, or the input as a whole
	Files    []Seen    // what is in it of each file
}

// Seen is a file, or an entry of an archive, and what is in a batch of it.
type Seen struct {
	File      string `json:"file"`
	Kind      string `json:"kind"` // what it was taken for, "" if it was not looked at
	Documents int64  `json:"documents"`
	Rejected  int64  `json:"rejected"`
}

// seen returns what is counted of the file of a unit.
func (b *Batch) seen(u unit) *Seen {
	if last := len(b.Files) - 1; last < 0 || b.Files[last].File != u.source || b.Files[last].Kind != u.as {
		b.Files = append(b.Files, Seen{File: u.source, Kind: u.as})
	}
	return &b.Files[len(b.Files)-1]
}

// Warning is something odd about a file.
type Warning struct{ Source, Why string }

// Read yields the documents of the paths in batches. The same input gives the
// same batches. If a named path is missing or may not be read, Read yields only
// an error that wraps fs.ErrNotExist or fs.ErrPermission. A failure further on
// is a reject, and reading goes on after it. At most a few batches are in
// memory. After an error nothing more is yielded.
//
// Read starts goroutines. They have ended when the loop over Read ends, but for
// one that waits for standard input.
func Read(ctx context.Context, paths []string, o Options) iter.Seq2[*Batch, error] {
	return func(yield func(*Batch, error) bool) {
		o, err := o.withDefaults()
		if err != nil {
			yield(nil, err)
			return
		}
		ids, err := newIDRule(o)
		if err != nil {
			yield(nil, err)
			return
		}
		inputs, err := resolve(ctx, paths, o)
		if err != nil {
			yield(nil, err)
			return
		}
		run := fingerprint(inputs, o)
		after, err := o.After.parse(run)
		if err != nil {
			yield(nil, err)
			return
		}
		ctx, cancel := context.WithCancel(ctx)
		p := startPipeline(ctx, inputs, o, ids, run, after)
		defer p.wait()
		defer cancel()
		p.deliver(ctx, yield)
	}
}
