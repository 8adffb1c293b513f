package api

// Types of imports, syncs and dumps.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
)

// Renderer extracts texts from documents. It must be safe for concurrent use.
type Renderer interface {
	// Reads reports whether a file is a document, by its name and its first bytes, at most 8 KiB.
	// Any other file is a text, a file of records or an archive.
	Reads(name string, head []byte) bool

	// Render returns the text of a document and its own metadata. An error rejects the document
	// with that reason. Importers call Render for texts that are not UTF-8, too. charset is the
	// declaration of a web server, or "".
	Render(ctx context.Context, name, charset string, file []byte) (text string, meta map[string]any, err error)
}

// Tables reads files of records in formats without lines of text, such as Parquet and Arrow. It
// must be safe for concurrent use.
type Tables interface {
	// Reads reports whether a file has such a format, by its first bytes, at most 8 KiB.
	Reads(head []byte) bool

	// Records yields the records of a file in order. head is the argument of Reads; file is at its
	// beginning. For a separate file on disk, file is also an io.ReaderAt of size bytes; otherwise
	// size is -1. An error ends the file: it is damaged, or lacks a wanted field.
	Records(ctx context.Context, head []byte, file io.Reader, size int64, want TableFields) iter.Seq2[TableRecord, error]
}

// TableFields selects the fields to read from a file of records.
type TableFields struct {
	ID         string   // "" means none
	IDOptional bool     // accept files without that field, and records in which it is NULL
	Text       []string // names, or paths as in ImportOptions.TextField, of which the reader returns the first field
	Metadata   []string // nil means all
	MaxBytes   int64    // of a record as JSON
}

// TableRecord is one record of a file.
type TableRecord struct {
	JSON   []byte // an object with its fields, valid until the next record
	Reason string // the reason for a rejection, or ""
	Rows   int64  // number of records that a reject covers; 0 means only this record
}

// Reject is a part of the input that did not become a document.
type Reject struct {
	Source string `json:"source"`
	Line   int64  `json:"line,omitempty"`
	ID     string `json:"id,omitempty"`
	Reason string `json:"reason"`

	// Kind classifies entries of a directory or an archive that contain no text: a link, a special
	// file, a picture, a sound, a video, a program, a font or an index of mails. Otherwise it is
	// "".
	Kind string `json:"kind,omitempty"`

	// Lines is the number of unread lines or records; 0 means one record or a whole file. Rest
	// means that the rest of the file was not read.
	Lines int64 `json:"lines,omitempty"`
	Rest  bool  `json:"rest,omitempty"`
}

// ErrChanged means that an import cannot resume, because the input before the place of resumption
// has changed.
var ErrChanged = errors.New("ingest: cannot resume: the input has changed")

// DumpError reports that a dump of a damaged database lacks documents. It wraps ErrCorrupt.
type DumpError struct {
	Documents int64  // number of missing documents
	ID        string // of the first missing document
	Err       error  // the cause
}

// Error returns the number of missing documents, the first id, and the cause.
func (e *DumpError) Error() string {
	return fmt.Sprintf("%d documents cannot be read and all others are written; the first is %q: %v", e.Documents, e.ID, e.Err)
}

// Unwrap returns the cause.
func (e *DumpError) Unwrap() error { return e.Err }

// IfExists sets the action of an import for an id that was stored before the import began.
type IfExists string

const (
	Replace IfExists = "replace" // also ""
	Skip    IfExists = "skip"
	Fail    IfExists = "error" // the import ends with ErrExists
)

// ImportOptions are the options of load.Import. The zero value imports into docs, and the lines of
// an export into the collections that they name.
type ImportOptions struct {
	Into        string    // collection of all documents, created with its first document if missing
	Settings    Settings  // of created collections
	IfExists    IfExists  // "" means Replace
	ID          string    // source of the id: path (also ""), name or sha256; see load.Import
	IDField     string    // field with the id of a record, or a path to it; "" means id, or the position of a record without id
	TextField   string    // fields with the text of a record, or paths to them, separated by commas; "" means text
	Metadata    []string  // fields of a record to store as metadata; nil means all, an empty list none
	Delimiter   byte      // of CSV fields; 0 means detected from the file
	Exclude     []string  // patterns as in .gitignore for files and directories to skip
	GitIgnore   bool      // obey the .gitignore files below a directory
	Prefix      string    // of every id
	Strip       int       // number of leading path elements to omit from ids
	LastWins    bool      // store the last of several files with one id, not the first
	Format      string    // auto (also ""), text, jsonl, json (an array), map (of ids to texts), csv, parquet, arrow, tar, warc or zip
	Binary      bool      // read binary files as Latin-1 instead of rejecting them
	MaxDocBytes int64     // largest text; 0 means Options.MaxDocBytes of the DB
	MaxRatio    int64     // maximum ratio of unpacked to packed size of a compressed file or archive, beyond 64 MiB; 0 means 200, negative no maximum
	Resume      bool      // continue after the progress of an earlier import of the same paths
	Stdin       io.Reader // input for the path "-"; nil makes that path ErrInvalid
	Renderer    Renderer  // reads HTML, Word, mail and other documents, as render.New does; nil reads texts only
	Tables      Tables    // reads Parquet and Arrow; nil rejects them
	FS          fs.FS     // root of the paths, with slashes and without links; nil means the files of the machine

	// UnlessSimilar, if above 0, skips texts that resemble another at least this much: a text
	// stored before, or kept from the same input. Keep selects the text that stays. With KeepFirst
	// a new text yields to the most similar present text. With KeepNewest it replaces all similar
	// texts, with KeepLongest only if it has more bytes than each of them.
	UnlessSimilar Threshold
	Keep          Keep         // "" means KeepFirst
	OnSimilar     func(Fallen) // called for each dropped or removed text, once that is durable

	OnStored  func(collection string, documents int) // called as documents become durable, with their number per collection
	OnReject  func(Reject)                           // called for each reject once the preceding input is durable
	OnWarning func(id, why string)                   // called likewise for each anomaly of a document that was stored nevertheless
	Progress  func(ImportProgress)                   // called from time to time
}

// ImportProgress is the progress of an import. Read and Total are bytes of the files as stored,
// compressed or not; Total is 0 if unknown.
type ImportProgress struct {
	Read      int64 `json:"read"`
	Total     int64 `json:"total"`
	Documents int64 `json:"documents"`
}

// ImportStats counts the effects of an import. Imported ids are new; Replaced and Skipped ids
// existed before. Superseded documents were overridden by a later document of the same id in the
// same input. Similar texts were dropped or removed because of a similar text; an Imported document
// may be among them.
type ImportStats struct {
	Imported   int64 `json:"imported"`
	Replaced   int64 `json:"replaced"`
	Skipped    int64 `json:"skipped"`
	Superseded int64 `json:"superseded"`
	Rejected   int64 `json:"rejected"`
	Warnings   int64 `json:"warnings"`
	Similar    int64 `json:"similar"`

	NoText    int64 `json:"no_text"` // of the Rejected, those with a Kind
	Lines     int64 `json:"lines"`   // number that the Rejected cover, where they cover several
	Rests     int64 `json:"rests"`   // the Rejected that ended the reading of their file
	TextBytes int64 `json:"text_bytes"`
	Finished  bool  `json:"finished"` // Resume found a finished import and no further input
}

// Fallen is a text that an import dropped or removed because of a similar text.
type Fallen struct {
	Collection string  `json:"collection"`
	ID         string  `json:"id"`
	Like       string  `json:"like"` // the document that stayed instead
	Sim        float64 `json:"sim"`
	Shared     uint64  `json:"shared"`
	Union      uint64  `json:"union"`
}

// SyncOptions are the options of load.Sync; the zero value syncs into docs.
type SyncOptions struct {
	Into        string   // collection, created with its first document if missing; "" means docs
	Settings    Settings // of that collection, if it is created
	Prefix      string   // of every id
	Binary      bool     // read binary files as Latin-1 instead of rejecting them
	MaxDocBytes int64    // largest text; 0 means Options.MaxDocBytes of the DB
	MaxRatio    int64    // as in ImportOptions
	Renderer    Renderer // reads HTML, Word, mail and other documents, as render.New does; nil reads texts only
	Exclude     []string // as in ImportOptions; documents of files that are now skipped stay unchanged
	GitIgnore   bool     // as in ImportOptions
	DeleteAll   bool     // let an empty folder delete all its documents; otherwise it is an error

	OnReject  func(Reject)         // called for each file that is not a text or is unreadable
	OnWarning func(id, why string) // called for each anomaly of a document that was stored nevertheless
}

// SyncStats counts the effects of a sync.
type SyncStats struct {
	Added     int64 `json:"added"`
	Replaced  int64 `json:"replaced"`
	Deleted   int64 `json:"deleted"`
	Unchanged int64 `json:"unchanged"`
	Rejected  int64 `json:"rejected"`

	NoText int64 `json:"no_text"` // of the Rejected, those with a Kind
}
