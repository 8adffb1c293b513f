// Package ingest turns files, directories, archives, JSONL and CSV into
// batches of (id, text, metadata), in an order that is the same each time, so
// that an import that was killed goes on behind its last batch. It does not
// know where the batches go: nothing of the store is known here.
//
// What is read as what:
//
//   - A named file is unwrapped if it begins with the magic bytes of gzip or
//     zstd, and is then an archive by its magic bytes (tar, zip), records by
//     its ending (.jsonl, .ndjson, .csv), or else one text document. Files known
//     to be no texts, such as PDFs, are rejected by their kind.
//   - In a directory, and in an archive, only the ending makes an archive or a
//     file of records: a .jar is a zip that nobody wants taken apart. A .csv
//     there whose first line does not name id and text is a text document. An
//     archive in an archive is rejected.
//   - A directory is read with all below it, files whose names begin with a
//     dot too, but not directories named .git and not databases of simdb.
//     Symbolic links met on the way, and whatever is no regular file, are
//     rejected without being opened. A symbolic link that is named itself is
//     followed. To name a database, or what lies in one, is an error.
//   - A glob is its fixed part, a directory, read likewise, of which only the
//     files are taken that match. A link is rejected if it matches, or if it
//     leads to a directory in which something might. Each file is read as if
//     it was named.
//   - Standard input, named "-", is JSONL if its first byte other than white
//     space is '{', else as a named file called "stdin".
//
// Ids (id.go): the id of a record; the slash-separated path in a directory, a tar or a
// zip (archive path, slash, inner path for an archive in a directory); the
// base name without .gz or .zst for a named file, and for what a glob matched
// the path below the fixed part of the glob, likewise.
package ingest

import (
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"time"
)

// Doc is one document as read.
type Doc struct {
	ID       string
	Text     string         // valid UTF-8 unless a warning says otherwise
	Meta     map[string]any // other fields of a record, nil if none; JSON numbers are json.Number, CSV values strings
	Warnings []string       // what is odd about the document, which is to be stored all the same
	Source   string         // the file, with the path in the archive, for messages
	Line     int64          // 1-based line of a record, 0 for a file
}

// Reject is something met that did not become a document.
type Reject struct {
	Source string `json:"source"`
	Line   int64  `json:"line,omitempty"`
	ID     string `json:"id,omitempty"`
	Reason string `json:"reason"`
}

// Options of Read; the zero value reads with the defaults.
type Options struct {
	Format      string // auto (also ""), text, jsonl, csv, tar or zip
	Binary      bool   // read binary files as Latin-1 instead of rejecting them
	MaxDocBytes int64  // largest text in bytes; 0 means 16 MiB
	MaxRatio    int64  // how many times its size a compressed file or an archive may unpack to, 64 MiB at least; 0 means 200, negative any
	BatchBytes  int    // input bytes after which a batch is closed; 0 means 1 MiB
	BatchDocs   int    // documents and rejects after which a batch is closed; 0 means 256

	Stdin io.Reader // what "-" reads; nil means os.Stdin
	After Position  // skip everything at or before it; "" skips nothing

	OnReject func(Reject)                      // called for each reject before its batch is handed over
	Progress func(bytesRead, bytesTotal int64) // input bytes as stored (compressed); total 0 if unknown
}

const (
	defaultMaxDocBytes = 16 << 20
	defaultBatchBytes  = 1 << 20
	defaultBatchDocs   = 256

	progressEvery = 200 * time.Millisecond
)

var formats = []string{"auto", "text", "jsonl", "csv", "tar", "zip"}

func (o Options) withDefaults() (Options, error) {
	if o.Format == "" {
		o.Format = "auto"
	}
	if !slices.Contains(formats, o.Format) {
		return o, fmt.Errorf("ingest: unknown format %q; want one of %v", o.Format, formats)
	}
	if o.MaxDocBytes <= 0 {
		o.MaxDocBytes = defaultMaxDocBytes
	}
	if o.MaxRatio == 0 {
		o.MaxRatio = defaultMaxRatio
	}
	if o.BatchBytes <= 0 {
		o.BatchBytes = defaultBatchBytes
	}
	if o.BatchDocs <= 0 {
		o.BatchDocs = defaultBatchDocs
	}
	if o.Stdin == nil {
		o.Stdin = os.Stdin
	}
	return o, nil
}

// Batch is a run of documents. Storing its documents and its End together
// makes an import resumable.
type Batch struct {
	Docs    []Doc
	End     Position // Options.After of the import that goes on behind this batch
	Rejects []Reject // met since the previous batch, in order; a batch may hold nothing else
	Bytes   int64    // sum of the text sizes in Docs
}

// Read yields the documents of the paths in batches. The same input gives the
// same batches. A named path that is missing or may not be read is an error
// before anything is yielded, and wraps fs.ErrNotExist or fs.ErrPermission;
// trouble met further on is a reject, and reading goes on behind it. At most a
// few batches are in memory. After an error nothing more is yielded.
//
// Read starts goroutines that have ended when the loop over it ends; only one
// that waits for standard input may outlive it.
func Read(ctx context.Context, paths []string, o Options) iter.Seq2[*Batch, error] {
	return func(yield func(*Batch, error) bool) {
		o, err := o.withDefaults()
		if err != nil {
			yield(nil, err)
			return
		}
		inputs, err := resolve(ctx, paths)
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
		p := startPipeline(ctx, inputs, o, run, after)
		defer p.wait()
		defer cancel()
		p.deliver(ctx, yield)
	}
}
