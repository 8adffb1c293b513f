package simdb

// Import: what ingest reads becomes batches of the store, each with a note that
// says how far the import has come.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"sync"

	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/internal/ingest"
)

// IfExists says what an import does with an id that was stored before it began.
type IfExists string

const (
	Replace IfExists = "replace" // also ""
	Skip    IfExists = "skip"
	Fail    IfExists = "error" // the import ends with ErrExists
)

// ImportOptions are the settings of Import. The zero value imports into docs, and lines
// that export has written into the collections that they name.
type ImportOptions struct {
	Into        string    // collection of all documents, made with its first one if it is not there
	Settings    Settings  // of collections that are made
	IfExists    IfExists  // "" means Replace
	ID          string    // what becomes the id: path (also ""), name or sha256; see Import
	IDField     string    // of a record that is its id; "" means id
	TextField   string    // of a record that is its text; "" means text
	Delimiter   byte      // between the fields of CSV; 0 means a tab in .tsv, else a comma
	Exclude     []string  // patterns as in .gitignore: files and directories below a path that are passed over
	GitIgnore   bool      // heed the .gitignore files below a directory
	Prefix      string    // of every id
	Strip       int       // leading elements of the paths of files that ids leave out
	LastWins    bool      // of several files with one id the last is stored, not the first
	Format      string    // auto (also ""), text, jsonl, json (an array), csv, tar or zip
	Binary      bool      // read binary files as Latin-1 instead of rejecting them
	MaxDocBytes int64     // largest text; 0 means what the DB was opened with, 16 MiB if that is 0 too
	MaxRatio    int64     // how many times its size a compressed file or an archive may unpack to, 64 MiB at least; 0 means 200, negative any
	Resume      bool      // go on behind what an import of the same paths has stored
	Stdin       io.Reader // what the path "-" reads; nil makes that path ErrInvalid
	Renderer    Renderer  // reads HTML, Word, mail and other documents, as render.New does; nil reads texts only
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
type ImportProgress struct{ Read, Total, Documents int64 }

// ImportStats counts what an import did. Imported ids are new. Replaced ids
// stood there before, so did Skipped ones. Superseded documents were overridden
// by a later one of the same id in the same input. Similar texts fell to others; an
// imported one may have done so later.
type ImportStats struct {
	Imported, Replaced, Skipped, Superseded, Rejected, Warnings, Similar int64

	TextBytes int64
	Finished  bool // Resume found an import that had come to its end, and nothing behind it
}

// Import reads texts from files, directories, globs, archives or Stdin ("-") and stores them. A path that is not there, or may not be read, is an
// error before anything is stored; other trouble is a reject, and the import
// goes on behind it.
//
// A record has its own id. The id of a file is its path below the base of the import:
// the directory or archive that is the only path, the fixed part of the glob that is,
// the directory of the file that is, or what several paths have in common. Of several
// files with one id the first is stored and the others are rejects, unless LastWins, or
// unless the id is the sha256: then they have one text.
// Of several records the last wins.
//
// With a Renderer, documents that are no texts become texts, and keep what they say of
// themselves as metadata: path, media_type, charset, bytes, sha256, created, modified,
// title and author, as far as they say it.
//
// How far it has come is stored together with the documents, so an import that
// ended early (killed, cancelled, disk full) can be called again with Resume
// and ends as if nothing had happened, with one exception: Skip and Fail then
// count what the first part stored as stored before. Where what that has read
// is not there any more as it was, Resume is ErrChanged and nothing is stored.
// What has come behind it is imported, even if the import had finished.
func (db *DB) Import(ctx context.Context, paths []string, o ImportOptions) (ImportStats, error) {
	return db.importFrom(ctx, paths, "", o)
}

// ImportReader is Import of what a reader gives. The name stands for that of a file: its
// ending says what it holds, as .jsonl, .csv and .tar do, and it becomes the id if the
// reader gives one text. The reader is not closed.
func (db *DB) ImportReader(ctx context.Context, name string, r io.Reader, o ImportOptions) (ImportStats, error) {
	if name == "" || r == nil {
		return ImportStats{}, fmt.Errorf("import: %w: a reader needs a name, and must not be nil", ErrInvalid)
	}
	o.Stdin = r
	return db.importFrom(ctx, []string{"-"}, name, o)
}

// importFrom imports paths, or a reader of some name.
func (db *DB) importFrom(ctx context.Context, paths []string, reader string, o ImportOptions) (ImportStats, error) {
	run, err := db.newImportRun(paths, reader, o)
	if err != nil {
		return ImportStats{}, err
	}
	defer run.close()
	if err = db.Load(ctx, run.batches(ctx, paths), run.acked); err != nil && !errors.Is(err, ErrPoisoned) {
		run.settle()
	}
	return run.stats, err
}

// importRun is an import on its way: the batches read but not yet durable, and
// what those did that are.
type importRun struct {
	db     *DB
	o      ImportOptions
	name   string // of the note
	note   importNote
	before *Snapshot // as it stood at the beginning; nil when nothing was there

	begun     bool
	reader    string // the name of an ImportReader
	home      bool   // lines of an export go back to their collections
	into      map[string]*destination
	had       int64 // documents in it before
	finished  bool  // the import that is resumed
	files     *importFiles
	documents int64 // handed on
	gone      int64 // taken out for similar ones
	mu        sync.Mutex
	flying    []flight
	stats     ImportStats
}

func (db *DB) newImportRun(paths []string, reader string, o ImportOptions) (*importRun, error) {
	switch o.IfExists {
	case "":
		o.IfExists = Replace
	case Replace, Skip, Fail:
	default:
		return nil, fmt.Errorf("import: %w: unknown IfExists %q", ErrInvalid, o.IfExists)
	}
	switch o.Keep {
	case "":
		o.Keep = KeepFirst
	case KeepFirst, KeepLongest, KeepNewest:
	default:
		return nil, fmt.Errorf("import: %w: unknown Keep %q", ErrInvalid, o.Keep)
	}
	if o.Keep != KeepFirst && o.UnlessSimilar == (Threshold{}) {
		return nil, fmt.Errorf("import: %w: Keep %q without UnlessSimilar", ErrInvalid, o.Keep)
	}
	if o.UnlessSimilar.Cmp(Ratio(1, 1)) > 0 {
		return nil, fmt.Errorf("import: %w: UnlessSimilar is no threshold", ErrInvalid)
	}
	fields := ingest.Options{ID: o.ID, Strip: o.Strip, IDField: o.IDField, TextField: o.TextField, Delimiter: o.Delimiter}
	if err := cmp.Or(ingest.CheckFields(fields), ingest.CheckExclude(o.Exclude)); err != nil {
		return nil, fmt.Errorf("import: %w: %w", ErrInvalid, err)
	}
	if o.MaxDocBytes == 0 {
		o.MaxDocBytes = db.maxDocBytes
	}
	r := &importRun{db: db, reader: reader, into: map[string]*destination{}, home: o.Into == ""}
	var err error
	if r.name, err = noteName(paths, reader, o); err != nil {
		return nil, err
	}
	o.Into = cmp.Or(o.Into, engine.DefaultCollection)
	r.o = o
	r.files = &importFiles{db: db, begin: r.name + "/files/"}
	if o.Resume {
		if r.note, err = r.readNote(); err != nil {
			return nil, err
		}
		r.finished, r.note.Finished = r.note.Finished, false
		if err = r.files.restore(); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// begin forgets what an earlier import of the same paths has left, unless this
// one goes on there, and looks whether anything stands in the collection already.
// It waits until there is something to read, so that a mistyped path changes
// nothing.
func (r *importRun) begin(ctx context.Context) error {
	if r.begun {
		return nil
	}
	r.begun = true
	if !r.o.Resume {
		var b Batch
		b.Note(r.name, nil)
		if err := r.files.forget(&b); err != nil {
			return err
		}
		if _, err := r.db.Commit(ctx, &b); err != nil {
			return err
		}
	}
	s, err := r.db.Snapshot()
	if err != nil {
		return err
	}
	if r.had = documentsIn(s); r.had == 0 {
		return s.Close()
	}
	r.before = s
	return nil
}

func (r *importRun) close() {
	if r.before != nil {
		r.before.Close()
	}
}

// batches turns what is read into batches of the store, the last of which only
// says that the import has come to its end.
func (r *importRun) batches(ctx context.Context, paths []string) iter.Seq2[*Batch, error] {
	return func(yield func(*Batch, error) bool) {
		for in, err := range ingest.Read(ctx, paths, r.readOptions()) {
			if errors.Is(err, ingest.ErrNoStdin) {
				err = fmt.Errorf("import: %w: %w", ErrInvalid, err)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			b, err := r.batch(ctx, in)
			if !yield(b, err) || err != nil {
				return
			}
		}
		if r.finished && !r.begun {
			r.stats.Finished = true
			return
		}
		yield(r.last(ctx))
	}
}

func (r *importRun) last(ctx context.Context) (*Batch, error) {
	if err := r.begin(ctx); err != nil {
		return nil, err
	}
	r.note.Finished = true
	b := &Batch{}
	return b, r.fly(b, flight{batch: b})
}

func (r *importRun) readOptions() ingest.Options {
	o := ingest.Options{
		ID: r.o.ID, IDField: r.o.IDField, TextField: r.o.TextField, Delimiter: r.o.Delimiter, Exclude: r.o.Exclude, GitIgnore: r.o.GitIgnore, Prefix: r.o.Prefix, Strip: r.o.Strip, Format: r.o.Format, Home: r.home, Binary: r.o.Binary, MaxDocBytes: r.o.MaxDocBytes, MaxRatio: r.o.MaxRatio,
		Renderer: r.o.Renderer, Stdin: r.o.Stdin, StdinName: r.reader, FS: r.o.FS, After: r.note.Position,
	}
	if r.o.Progress != nil {
		o.Progress = func(read, total int64) {
			r.o.Progress(ImportProgress{Read: read, Total: total, Documents: r.documents})
		}
	}
	return o
}

func (r *importRun) batch(ctx context.Context, in *ingest.Batch) (*Batch, error) {
	if err := r.begin(ctx); err != nil {
		return nil, err
	}
	b := &Batch{}
	f := flight{rejects: in.Rejects, bytes: in.Bytes, batch: b, puts: map[string]int{}}
	type key struct{ collection, id string }
	existing := map[key]bool{}
	for _, d := range in.Docs {
		collection := cmp.Or(d.Collection, r.o.Into)
		if err := engine.CheckCollectionName(collection); err != nil && d.Collection != "" {
			f.rejects = append(f.rejects, rejected(d, fmt.Sprintf("no collection can have the name %q", collection)))
			continue
		}
		if first, err := r.readBefore(d); err != nil {
			return nil, err
		} else if first != "" {
			f.rejects = append(f.rejects, rejected(d, sameID(first)))
			continue
		}
		exists, err := r.exists(collection, d.ID)
		switch {
		case err != nil:
			return nil, err
		case exists && r.o.IfExists == Fail:
			return nil, fmt.Errorf("document %q (%s) %w", d.ID, place(d), ErrExists)
		case exists && r.o.IfExists == Skip:
			f.skipped++
			continue
		case exists:
			existing[key{collection, d.ID}] = true
		}
		into, err := r.destination(collection)
		if err != nil {
			return nil, err
		}
		doc := Document{Collection: collection, ID: d.ID, Text: d.Text, Meta: d.Meta}
		if into.unit == "token" {
			if doc.Tokens, doc.Meta, err = importedTokens(d.Meta); err != nil {
				f.rejects = append(f.rejects, rejected(d, err.Error()))
				continue
			}
		}
		if err := tooMuchMeta(doc.Meta); err != nil {
			f.rejects = append(f.rejects, rejected(d, err.Error()))
			continue
		}
		if err := r.makeCollection(ctx, collection); err != nil {
			return nil, err
		}
		f.puts[collection]++
		r.put(b, doc)
		d.Text, d.Meta = "", nil
		f.from = append(f.from, d)
		for _, w := range d.Warnings {
			f.warnings = append(f.warnings, [2]string{d.ID, w})
		}
	}
	f.existing = len(existing)
	if err := r.files.tell(b); err != nil {
		return nil, err
	}
	r.documents += int64(len(in.Docs))
	r.note.Position = in.End
	return b, r.fly(b, f)
}

func place(d ingest.Doc) string {
	if d.Line > 0 {
		return fmt.Sprintf("%s, line %d", d.Source, d.Line)
	}
	return d.Source
}

func rejected(d ingest.Doc, reason string) Reject {
	return Reject{Source: d.Source, Line: d.Line, ID: d.ID, Reason: reason}
}

func (r *importRun) exists(collection, id string) (bool, error) {
	if r.before == nil {
		return false, nil
	}
	_, err := r.before.Info(collection, id)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}
