// Package ingest reads files, directories, archives, JSONL and CSV as batches of (id, text,
// metadata). The order is deterministic, so an interrupted import can continue after its last
// batch. The package does not depend on the store. Begin reading with Read, then reader.go, kind.go
// and chunk.go.
//
// Format detection (kind.go, shape.go; docs/renditions.md has the rules for users):
//
//   - Magic bytes identify compression, whatever the name. The first row of kinds that matches the
//     first bytes of the unpacked stream, or its name if the bytes are inconclusive, determines the
//     format. The rules are the same for a named file, a file in a directory or an archive, and
//     standard input, with two exceptions: JSON that may be records or one text is rejected if it is
//     named alone and a text otherwise, and a single object on standard input is a record.
//   - JSON contains records if two or more lines begin with an object, two objects follow each other,
//     it is an array of objects, an array in an object has objects with the text field, or it is a
//     table by columns. A single object is a text, unless it has an id and a text, or its name or an
//     option declares it a record. Apparent records without the text field are rejected as a whole.
//   - A zip is unpacked if its name has the extension .zip or none: other zips, such as .jar, are
//     programs or documents. An archive in an archive is rejected.
//   - A directory is read recursively, including files whose names begin with a dot. Directories
//     named .git and databases of simdb are skipped. Symbolic links below it, and all other
//     non-regular files, are rejected without being opened.
//   - A glob reads the directory of its fixed part in the same way, limited to matching files. A link
//     is rejected if it matches, or if it leads to a directory that might contain matches.
//   - Several paths are read like files of a directory, because the shell may have expanded a glob. A
//     single path that is a symbolic link is followed. Naming a database alone, or a path inside a
//     database, is an error.
//   - Standard input, named "-", is read as a file called "stdin".
//
// Ids (base.go, id.go): a record has its own id, or else the id of its file, # and its number. The
// id of a file is its slash-separated path below the base of the import, with its extensions. The
// base is the only path if it is a directory or an archive, the fixed part of the only glob, the
// directory of the only file, or the deepest directory that contains several paths. In an archive
// that is not the only path, the path of the archive comes first.
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

// Doc is a document as read from the input.
type Doc struct {
	ID         string
	Text       string         // valid UTF-8 unless a warning says otherwise
	Meta       map[string]any // other fields of a record, nil if none; JSON numbers are json.Number, CSV values strings
	Warnings   []string       // irregularities of the document, which is stored nevertheless
	Source     string         // file, including the path in an archive, for messages
	Line       int64          // 1-based line of a record, 0 for a file
	Record     int64          // 1-based number of a record in its file; of JSON lines and CSV, its line
	File       *File          // set if Options.Take accepted the file
	Kind       string         // origin: a text, a document, or a record of some format
	Collection string         // of a line written by export, if Options.Home is set; else ""

	numbered bool // the id is derived from the place of the record
	nulls    int  // numbers of the metadata that are invalid JSON or overflow float64
}

// File describes a file of a directory at the time of the walk.
type File struct {
	Rel  string // slash-separated path in the directory
	Size int64
	Time time.Time // of the last change
}

// Options are the options of Read. The zero value selects the defaults.
type Options struct {
	Format      string   // a name from Formats; "" means auto
	ID          string   // source of the id: path (also ""), name or sha256
	IDField     string   // field of a record that is its id, or a path to it; "" means id, or the place of a record without one
	TextField   string   // fields of a record that are its text, or paths to them, separated by commas; "" means text
	Scalar      bool     // the text field may also be a number, or null, which is read as ""
	Metadata    []string // fields of a record that become metadata; nil means all
	First       bool     // the caller ends after the first record: lines that cannot be read are not counted
	Delimiter   byte     // of CSV fields; 0 means detect
	Prefix      string   // added to every id
	Strip       int      // leading path elements that ids omit, but never the last
	Home        bool     // return lines written by export to their collections
	Binary      bool     // read binary files as Latin-1 instead of rejecting them
	MaxDocBytes int64    // largest text in bytes; 0 means 16 MiB
	MaxRatio    int64    // maximum expansion of a compressed file or archive, as a multiple of its size, at least 64 MiB; 0 means 200, negative no limit
	MemoryBytes int64    // a zstd window or xz dictionary may take half of it, and always 128 MiB
	BatchBytes  int      // input bytes after which a batch is closed; 0 means 1 MiB
	BatchDocs   int      // documents and rejects after which a batch is closed; 0 means 256

	Stdin     io.Reader // input for "-"; nil rejects that path
	StdinName string    // file name of Stdin; "" means stdin
	FS        fs.FS     // file system of the paths, with slashes; nil means that of the machine
	After     Position  // skip all input up to and including it; "" skips nothing

	Renderer api.Renderer // reads documents; nil reads texts only
	Tables   api.Tables   // reads Parquet and Arrow; nil rejects them

	// Take reports whether to read a file of a directory. If set, every file is one text; archives
	// and files of records are rejected. The reading goroutine calls it.
	Take func(File) (bool, error)

	Exclude   []string // patterns of files and directories to skip, as in .gitignore
	GitIgnore bool     // apply the .gitignore files below a directory

	OnReject func(api.Reject)                  // called for each reject before its batch is yielded
	Progress func(bytesRead, bytesTotal int64) // input bytes as stored (compressed); total 0 if unknown
}

const (
	defaultMaxDocBytes = 16 << 20
	defaultBatchBytes  = 1 << 20
	defaultBatchDocs   = 256

	progressEvery = 200 * time.Millisecond
)

// OptionsOf returns the reading options of an import.
func OptionsOf(o api.ImportOptions) Options {
	return Options{
		Format: o.Format, ID: o.ID, IDField: o.IDField, TextField: o.TextField, Metadata: o.Metadata, Delimiter: o.Delimiter,
		Prefix: o.Prefix, Strip: o.Strip, Binary: o.Binary, MaxDocBytes: o.MaxDocBytes, MaxRatio: o.MaxRatio,
		Stdin: o.Stdin, FS: o.FS, Renderer: o.Renderer, Tables: o.Tables, Exclude: o.Exclude, GitIgnore: o.GitIgnore,
	}
}

// Formats lists the names for Options.Format.
var Formats = []string{"auto", "text", "jsonl", "json", "map", "csv", "parquet", "arrow", "tar", "warc", "zip"}

// withDefaults checks the options and replaces zero values by the defaults.
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

// Batch is a sequence of documents that are adjacent in the input. An import that stores the
// documents and End atomically can be resumed.
type Batch struct {
	Docs    []Doc
	End     Position     // the Options.After of an import that continues after this batch
	Rejects []api.Reject // rejects since the previous batch, in order; a batch may contain only rejects
	Bytes   int64        // sum of the text sizes in Docs

	Warnings []Warning // irregularities of a file, or of the whole input
	Files    []Seen    // counts per file of the batch
}

// Seen counts the documents and rejects of one file, or one archive entry, in a batch.
type Seen struct {
	File      string `json:"file"`
	Kind      string `json:"kind"` // detected format, "" if the file was not read
	Documents int64  `json:"documents"`
	Rejected  int64  `json:"rejected"`
}

// seen returns the counts for the file of a unit.
func (b *Batch) seen(u unit) *Seen {
	if last := len(b.Files) - 1; last < 0 || b.Files[last].File != u.source || b.Files[last].Kind != u.as {
		b.Files = append(b.Files, Seen{File: u.source, Kind: u.as})
	}
	return &b.Files[len(b.Files)-1]
}

// Warning describes an irregularity of a file.
type Warning struct{ Source, Why string }

// Read yields the documents of the paths in batches. Equal input yields equal batches. If a named
// path is missing or unreadable, Read yields only an error that wraps fs.ErrNotExist or
// fs.ErrPermission. Later failures are rejects, and reading continues after them. Memory holds a
// few batches at most. An error ends the sequence.
//
// Read starts goroutines. They end before the loop over Read does, except a goroutine that waits
// for standard input.
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
		// cancel runs before wait (deferred calls run in reverse), so an early exit from the loop
		// ends the goroutines.
		ctx, cancel := context.WithCancel(ctx)
		p := startPipeline(ctx, inputs, o, ids, run, after)
		defer p.wait()
		defer cancel()
		p.deliver(ctx, yield)
	}
}
