package load

// Import converts batches of package ingest to batches of the store, each with a note of the
// position reached.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"sync"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/internal/ingest"
)

// Import stores the texts of files, directories, globs, archives and Stdin ("-"). A missing or
// unreadable path is an error before anything is stored. Anything else that cannot be read is a
// reject, and the import continues.
//
// A record has its own id. The id of a file is its path below the base of the import, which is
//
//   - the only path, if it is a directory or an archive,
//   - the fixed part of the only glob,
//   - the directory of the only file, or
//   - the deepest directory that contains all paths, if there are several.
//
// Of several files with one id, Import stores the first and rejects the others, except with
// LastWins, or if the id is the sha256, because then their texts are equal. Of several records with
// one id, the last wins.
//
// With a Renderer, Import also reads documents that are not plain text, such as HTML and Word, and
// stores their metadata: path, media_type, charset, bytes, sha256, created, modified, title and
// author.
//
// The position of an import is committed together with its documents. With Resume, an interrupted
// import (killed, cancelled, disk full) continues there and ends with the same documents, with one
// exception: Skip and Fail then regard the documents of the first part as stored before the import.
// Resume returns ErrChanged, and stores nothing, if the input before the position has changed.
// Resume also imports input that was appended since, even if the import had finished.
func Import(ctx context.Context, db *simdb.DB, paths []string, o api.ImportOptions) (api.ImportStats, error) {
	return importFrom(ctx, db, paths, "", o)
}

// ImportReader imports one stream, otherwise like Import. The name replaces a file name: its
// extension selects the format (.jsonl, .csv, .tar and so on), and it becomes the id if the stream
// is one text. ImportReader does not close the reader.
func ImportReader(ctx context.Context, db *simdb.DB, name string, r io.Reader, o api.ImportOptions) (api.ImportStats, error) {
	if name == "" || r == nil {
		return api.ImportStats{}, fmt.Errorf("import: %w: a reader needs a name, and must not be nil", api.ErrInvalid)
	}
	o.Stdin = r
	return importFrom(ctx, db, []string{"-"}, name, o)
}

// importFrom imports paths, or standard input under the name reader.
func importFrom(ctx context.Context, db *simdb.DB, paths []string, reader string, o api.ImportOptions) (api.ImportStats, error) {
	run, err := newImportRun(db, paths, reader, o)
	if err != nil {
		return api.ImportStats{}, err
	}
	defer run.close()
	if err = db.Load(ctx, run.batches(ctx, paths), run.acked); err != nil && !errors.Is(err, api.ErrPoisoned) {
		run.countCommitted()
	}
	return run.stats, err
}

// importRun is an import in progress: the batches read but not yet durable, and the statistics of
// the durable ones.
type importRun struct {
	db     *simdb.DB
	o      api.ImportOptions
	name   string // of the note
	note   importNote
	before *simdb.Snapshot // the state before the import; nil for an empty database

	begun     bool
	reader    string // the name of an ImportReader
	home      bool   // store the lines of an export in their own collections
	into      map[string]*destination
	had       int64 // documents before the import
	finished  bool  // the resumed import had finished
	files     *importFiles
	documents int64 // documents read so far
	gone      int64 // documents removed in favor of similar ones
	mu        sync.Mutex
	inFlight  []batchReport
	stats     api.ImportStats
}

// newImportRun checks the options, and reads the position of the import to resume.
func newImportRun(db *simdb.DB, paths []string, reader string, o api.ImportOptions) (*importRun, error) {
	o.IfExists, o.Keep = cmp.Or(o.IfExists, api.Replace), cmp.Or(o.Keep, api.KeepFirst)
	if !slices.Contains([]api.IfExists{api.Replace, api.Skip, api.Fail}, o.IfExists) {
		return nil, fmt.Errorf("import: %w: unknown IfExists %q", api.ErrInvalid, o.IfExists)
	}
	if !slices.Contains([]api.Keep{api.KeepFirst, api.KeepLongest, api.KeepNewest}, o.Keep) {
		return nil, fmt.Errorf("import: %w: unknown Keep %q", api.ErrInvalid, o.Keep)
	}
	if o.Keep != api.KeepFirst && o.UnlessSimilar == (api.Threshold{}) {
		return nil, fmt.Errorf("import: %w: Keep %q without UnlessSimilar", api.ErrInvalid, o.Keep)
	}
	if o.UnlessSimilar.Cmp(api.Ratio(1, 1)) > 0 {
		return nil, fmt.Errorf("import: %w: UnlessSimilar is above 1", api.ErrInvalid)
	}
	fields := ingest.Options{ID: o.ID, Strip: o.Strip, IDField: o.IDField, TextField: o.TextField, Delimiter: o.Delimiter}
	if err := cmp.Or(ingest.CheckFields(fields), ingest.CheckExclude(o.Exclude)); err != nil {
		return nil, fmt.Errorf("import: %w: %w", api.ErrInvalid, err)
	}
	o.MaxDocBytes = cmp.Or(o.MaxDocBytes, db.MaxDocBytes())
	r := &importRun{db: db, reader: reader, into: map[string]*destination{}, home: o.Into == ""}
	var err error
	if r.name, err = noteName(paths, reader, o); err != nil {
		return nil, err
	}
	o.Into = cmp.Or(o.Into, api.DefaultCollection)
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

// begin prepares the store: it deletes the notes of an earlier import of the same paths, unless
// this import resumes it, and takes a snapshot of the documents stored before. It runs with the
// first batch, so that a mistyped path changes nothing.
func (r *importRun) begin(ctx context.Context) error {
	if r.begun {
		return nil
	}
	r.begun = true
	if !r.o.Resume {
		var b simdb.Batch
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
	collections, err := s.Collections(ctx)
	if err != nil {
		return errors.Join(err, s.Close())
	}
	if r.had = documentsIn(collections); r.had == 0 {
		return s.Close()
	}
	r.before = s
	return nil
}

// close releases the snapshot.
func (r *importRun) close() {
	if r.before != nil {
		r.before.Close()
	}
}

// batches yields the batches of the store. The last batch only marks the import as finished.
func (r *importRun) batches(ctx context.Context, paths []string) iter.Seq2[*simdb.Batch, error] {
	return func(yield func(*simdb.Batch, error) bool) {
		for in, err := range ingest.Read(ctx, paths, r.readOptions()) {
			if errors.Is(err, ingest.ErrNoStdin) {
				err = fmt.Errorf("import: %w: %w", api.ErrInvalid, err)
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

// last returns the batch that marks the import as finished.
func (r *importRun) last(ctx context.Context) (*simdb.Batch, error) {
	if err := r.begin(ctx); err != nil {
		return nil, err
	}
	r.note.Finished = true
	b := &simdb.Batch{}
	return b, r.enqueue(b, batchReport{batch: b})
}

// readOptions returns the options for package ingest.
func (r *importRun) readOptions() ingest.Options {
	o := ingest.OptionsOf(r.o)
	o.MemoryBytes = r.db.MemoryBytes()
	o.Home, o.StdinName, o.After = r.home, r.reader, r.note.Position
	if r.o.Progress != nil {
		o.Progress = func(read, total int64) {
			r.o.Progress(api.ImportProgress{Read: read, Total: total, Documents: r.documents})
		}
	}
	return o
}

// batch converts a batch of package ingest. Documents that the import does not accept become
// rejects of the batch; an error ends the import.
func (r *importRun) batch(ctx context.Context, in *ingest.Batch) (*simdb.Batch, error) {
	if err := r.begin(ctx); err != nil {
		return nil, err
	}
	b := &simdb.Batch{}
	f := batchReport{rejects: in.Rejects, bytes: in.Bytes, batch: b, puts: map[string]int{}}
	type key struct{ collection, id string }
	existing := map[key]bool{}
	code, err := lexAll(in.Docs, func(d ingest.Doc) (*api.Settings, error) { return r.settingsOf(ctx, d) })
	if err != nil {
		return nil, err
	}
	for i, d := range in.Docs {
		collection := r.collectionOf(d)
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
		there, err := exists(ctx, r.before, collection, d.ID)
		switch {
		case err != nil:
			return nil, err
		case there && r.o.IfExists == api.Fail:
			return nil, fmt.Errorf("document %q (%s) %w", d.ID, place(d), api.ErrExists)
		case there && r.o.IfExists == api.Skip:
			f.skipped++
			continue
		case there:
			existing[key{collection, d.ID}] = true
		}
		into, err := r.destination(collection)
		if err != nil {
			return nil, err
		}
		if err := code[i].err; err != nil {
			f.rejects = append(f.rejects, rejected(d, err.Error()))
			continue
		}
		doc := api.Document{Collection: collection, ID: d.ID, Text: d.Text, Meta: d.Meta, Lexed: code[i].found}
		if into.settings.Unit == "token" {
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
	for _, w := range in.Warnings {
		f.warnings = append(f.warnings, [2]string{w.Source, w.Why})
	}
	f.existing = len(existing)
	if err := r.files.addNote(b); err != nil {
		return nil, err
	}
	r.documents += int64(len(in.Docs))
	r.note.Position = in.End
	return b, r.enqueue(b, f)
}

// collectionOf returns the destination of a document: the collection that a line of an export names,
// otherwise Into.
func (r *importRun) collectionOf(d ingest.Doc) string { return cmp.Or(d.Collection, r.o.Into) }

// place names the position of a document for messages.
func place(d ingest.Doc) string {
	if d.Line > 0 {
		return fmt.Sprintf("%s, line %d", d.Source, d.Line)
	}
	return d.Source
}

// rejected returns the reject of a document.
func rejected(d ingest.Doc, reason string) api.Reject {
	return api.Reject{Source: d.Source, Line: d.Line, ID: d.ID, Reason: reason}
}

// exists reports whether a snapshot has a document. A nil snapshot stands for an empty database.
func exists(ctx context.Context, s *simdb.Snapshot, collection, id string) (bool, error) {
	if s == nil {
		return false, nil
	}
	_, err := s.Info(ctx, collection, id)
	if errors.Is(err, api.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}
