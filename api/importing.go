package api

// Documents on their way in and out: imports, syncs and dumps.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
)

// Renderer makes texts of documents. Its methods are called by several goroutines.
type Renderer interface {
	// Reads reports whether a file is a document, by its name and the first 8 KiB or fewer
	// bytes of it. Any other file is a text, a file of records or an archive.
	Reads(name string, head []byte) bool

	// Render returns the text of a document and what it says of itself, as metadata. The
	// error is why it is rejected. It is also asked for texts that are not UTF-8. charset is
	// what a web server has said of it, or "".
	Render(ctx context.Context, name, charset string, file []byte) (text string, meta map[string]any, err error)
}

// Tables reads files of records that are no lines of text, such as Parquet and Arrow.
type Tables interface {
	// Reads reports whether a file is one, by the first 8 KiB or fewer bytes of it.
	Reads(head []byte) bool

	// Records yields the records of a file in their order; head is what Reads has seen of it.
	// file begins at the beginning. Where the file lies on disk by itself it is an io.ReaderAt
	// of size bytes, too; elsewhere size is -1. An error ends the file: it is damaged, or has
	// not the fields that are wanted.
	Records(ctx context.Context, head []byte, file io.Reader, size int64, want TableFields) iter.Seq2[TableRecord, error]
}

// TableFields says which fields of a file of records are read.
type TableFields struct {
	ID         string   // "" means none
	IDOptional bool     // a file without that field is read too, and so are records in which it is NULL
	Text       []string // names, or paths as ImportOptions.TextField has them: what is wanted of a path is the field that it begins in
	Metadata   []string // nil means all
	MaxBytes   int64    // of a record as JSON
}

// TableRecord is a record of a file.
type TableRecord struct {
	JSON   []byte // an object of its fields, valid until the next record
	Reason string // why it is rejected, or ""
	Rows   int64  // how many records a reject covers; 0 means this one
}

// Reject is something in the input that did not become a document.
type Reject struct {
	Source string `json:"source"`
	Line   int64  `json:"line,omitempty"`
	ID     string `json:"id,omitempty"`
	Reason string `json:"reason"`

	// Kind says of what was met in a directory or an archive that there is no text in it: a
	// link, a special file, a picture, a sound, a video, a program, a font or an index of mails.
	// Else it is "".
	Kind string `json:"kind,omitempty"`

	// Lines is how many lines or records are not read because of it: 0 if it is one record, or
	// a file as a whole. Rest says that nothing behind it in its file was read.
	Lines int64 `json:"lines,omitempty"`
	Rest  bool  `json:"rest,omitempty"`
}

// ErrChanged is returned by Read if the input before Options.After is no longer
// what was read there.
var ErrChanged = errors.New("ingest: cannot resume: the input has changed")

// DumpError says that a damaged database could not give all of its documents. It
// is ErrCorrupt.
type DumpError struct {
	Documents int64  // that are left out
	ID        string // of the first
	Err       error  // why
}

// Error says how many documents are left out, the first of them, and why.
func (e *DumpError) Error() string {
	return fmt.Sprintf("%d documents cannot be read and all others are written; the first is %q: %v", e.Documents, e.ID, e.Err)
}

// Unwrap returns why.
func (e *DumpError) Unwrap() error { return e.Err }

// IfExists says what an import does with an id that was stored before it began.
type IfExists string

const (
	Replace IfExists = "replace" // also ""
	Skip    IfExists = "skip"
	Fail    IfExists = "error" // the import ends with ErrExists
)

// ImportOptions are the settings of load.Import. The zero value imports into docs, and lines
// that export has written into the collections that they name.
type ImportOptions struct {
	Into        string    // collection of all documents, made with its first one if it is not there
	Settings    Settings  // of collections that are made
	IfExists    IfExists  // "" means Replace
	ID          string    // what becomes the id: path (also ""), name or sha256; see load.Import
	IDField     string    // of a record that is its id, or a path to it; "" means id, and the place of a record without one
	TextField   string    // of a record that are its text, or paths to it, separated by commas; "" means text
	Metadata    []string  // fields of a record that are kept as metadata; nil means all, and an empty list none
	Delimiter   byte      // between the fields of CSV; 0 means what the file shows
	Exclude     []string  // patterns as in .gitignore: files and directories below a path that are passed over
	GitIgnore   bool      // heed the .gitignore files below a directory
	Prefix      string    // of every id
	Strip       int       // leading elements of the paths of files that ids leave out
	LastWins    bool      // of several files with one id the last is stored, not the first
	Format      string    // auto (also ""), text, jsonl, json (an array), map (of ids to texts), csv, parquet, arrow, tar, warc or zip
	Binary      bool      // read binary files as Latin-1 instead of rejecting them
	MaxDocBytes int64     // largest text; 0 means what the DB was opened with, 16 MiB if that is 0 too
	MaxRatio    int64     // how many times its size a compressed file or an archive may unpack to, 64 MiB at least; 0 means 200, negative any
	Resume      bool      // go on behind what an import of the same paths has stored
	Stdin       io.Reader // what the path "-" reads; nil makes that path ErrInvalid
	Renderer    Renderer  // reads HTML, Word, mail and other documents, as render.New does; nil reads texts only
	Tables      Tables    // reads Parquet and Arrow, as the command does; nil rejects them
	FS          fs.FS     // where the paths are, with slashes and without links; nil means the files of the machine

	// UnlessSimilar, if above 0, leaves out texts that resemble another so much or more: one
	// stored before, or one kept before from the same input. Keep says which of them stays.
	// With KeepFirst a newcomer falls to the most similar that is there. With KeepNewest it
	// takes the place of all that are similar to it, with KeepLongest only if it has more
	// bytes than each of them.
	UnlessSimilar Threshold
	Keep          Keep         // "" means KeepFirst
	OnSimilar     func(Fallen) // called for each text that fell, once that is durable

	OnStored  func(collection string, documents int) // called as documents become durable, with how many of one collection
	OnReject  func(Reject)                           // called for each reject once what came before it is durable
	OnWarning func(id, why string)                   // called likewise for each oddity of a document that was stored all the same
	Progress  func(ImportProgress)                   // called now and then
}

// ImportProgress says how far an import has come. Bytes are those of the files
// as they lie there, compressed or not; Total is 0 if nobody knows it.
type ImportProgress struct {
	Read      int64 `json:"read"`
	Total     int64 `json:"total"`
	Documents int64 `json:"documents"`
}

// ImportStats counts what an import did. Imported ids are new. Replaced ids
// stood there before, so did Skipped ones. Superseded documents were overridden
// by a later one of the same id in the same input. Similar texts fell to others; an
// imported one may have done so later.
type ImportStats struct {
	Imported   int64 `json:"imported"`
	Replaced   int64 `json:"replaced"`
	Skipped    int64 `json:"skipped"`
	Superseded int64 `json:"superseded"`
	Rejected   int64 `json:"rejected"`
	Warnings   int64 `json:"warnings"`
	Similar    int64 `json:"similar"`

	NoText    int64 `json:"no_text"` // of the Rejected: what has a Kind
	Lines     int64 `json:"lines"`   // that the Rejected cover, where they cover several
	Rests     int64 `json:"rests"`   // of the Rejected: those behind which nothing of their file was read
	TextBytes int64 `json:"text_bytes"`
	Finished  bool  `json:"finished"` // Resume found an import that had come to its end, and nothing behind it
}

// Fallen is a text that an import did not keep, or took out again, because of a
// similar one.
type Fallen struct {
	Collection string  `json:"collection"`
	ID         string  `json:"id"`
	Like       string  `json:"like"` // the document that it fell to
	Sim        float64 `json:"sim"`
	Shared     uint64  `json:"shared"`
	Union      uint64  `json:"union"`
}

// SyncOptions are the settings of load.Sync; the zero value syncs into docs.
type SyncOptions struct {
	Into        string   // collection, made with its first document if it is not there; "" means docs
	Settings    Settings // of that collection, if it is made
	Prefix      string   // of every id
	Binary      bool     // read binary files as Latin-1 instead of rejecting them
	MaxDocBytes int64    // largest text; 0 means what the DB was opened with
	MaxRatio    int64    // as in ImportOptions
	Renderer    Renderer // reads HTML, Word, mail and other documents, as render.New does; nil reads texts only
	Exclude     []string // as in ImportOptions; documents of files that are passed over now stay as they are
	GitIgnore   bool     // as in ImportOptions
	DeleteAll   bool     // a folder without any file deletes all its documents; else that is an error

	OnReject  func(Reject)         // called for each file that is no text or cannot be read
	OnWarning func(id, why string) // called for each oddity of a document that was stored all the same
}

// SyncStats counts what a sync did.
type SyncStats struct {
	Added     int64 `json:"added"`
	Replaced  int64 `json:"replaced"`
	Deleted   int64 `json:"deleted"`
	Unchanged int64 `json:"unchanged"`
	Rejected  int64 `json:"rejected"`

	NoText int64 `json:"no_text"` // of the Rejected: what has a Kind
}
