package simdb

// Restore: a database from a dump. While it is under way a note says so, because a
// process that is killed leaves a part of the dump, which must not pass for the whole.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/internal/dump"
	"github.com/simdb/simdb/internal/ingest"
)

// restoreNote is in a database that is being restored.
const restoreNote = "restore"

// Restore reads a dump, compressed by gzip or zstd or not, into a database that holds
// no documents; ErrExists if it holds some. Afterwards the database has the
// collections of the dump and no others. Nobody else may write meanwhile.
//
// A dump that is damaged, cut off, or has lines twice is ErrCorrupt, with the line.
// After any error the database is empty. There are two exceptions: a process that is
// killed leaves a part of the dump, and so does a write that fails (ErrPoisoned), on a
// full disk say. Restoring reports it, and Restore begins anew there.
func (db *DB) Restore(ctx context.Context, r io.Reader) (err error) {
	if err := checkContext(ctx); err != nil {
		return err
	}
	began, err := db.Restoring()
	if err != nil {
		return err
	}
	if documents := db.Metrics().Documents; documents > 0 && !began {
		return fmt.Errorf("restore: the database %w, with %d documents; name one without", ErrExists, documents)
	}
	unpacked, err := ingest.Unpack(r)
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	defer unpacked.Close()
	err = db.setNote(ctx, restoreNote, []byte("under way"))
	if err != nil && ctx.Err() == nil {
		return err
	}
	if err == nil { // else the note may be there
		err = db.dropAll(ctx)
	}
	if err == nil {
		in := restoring{db: db, dump: dump.NewReader(unpacked, db.maxDumpLine())}
		err = db.Load(ctx, in.batches(ctx), func(*Batch, BatchStats) {})
	}
	if errors.Is(err, ErrPoisoned) { // nothing can be dropped, and Restoring says so
		return fmt.Errorf("restore: %w", err)
	}
	ctx = context.WithoutCancel(ctx) // what is begun here comes to its end
	if err != nil {
		if dropErr := db.dropAll(ctx); dropErr != nil {
			return errors.Join(fmt.Errorf("restore: %w", err), dropErr)
		}
		err = fmt.Errorf("restore: %w", err)
	}
	return errors.Join(err, db.setNote(ctx, restoreNote, nil))
}

// Restoring reports whether a Restore into the database began and did not end, because
// its process was killed or a write failed. Then the database holds a part of the dump. Restore begins
// anew there.
func (db *DB) Restoring() (bool, error) {
	note, err := db.Note(restoreNote)
	return note != nil, err
}

func (db *DB) setNote(ctx context.Context, name string, value []byte) error {
	var b Batch
	b.Note(name, value)
	_, err := db.Commit(ctx, &b)
	return err
}

func (db *DB) dropAll(ctx context.Context) error {
	s, err := db.Snapshot()
	if err != nil {
		return err
	}
	collections := s.Collections()
	if err := s.Close(); err != nil {
		return err
	}
	for _, c := range collections {
		if err := db.DropCollection(ctx, c.Name); err != nil {
			return err
		}
	}
	return nil
}

// maxDumpLine bounds a line of a dump. A byte of a text takes six at most, and
// metadata as much as a record of the log.
func (db *DB) maxDumpLine() int64 {
	maxDoc := db.maxDocBytes
	if maxDoc <= 0 {
		maxDoc = 16 << 20
	}
	return 6*maxDoc + 1<<30
}

// restoring is a dump on its way into a database.
type restoring struct {
	db         *DB
	dump       *dump.Reader
	collection string
}

// A batch of a restore is closed after so many documents, or bytes of texts and tokens.
const (
	restoreBatchDocs  = 256
	restoreBatchBytes = 1 << 20
)

func (r *restoring) batches(ctx context.Context) iter.Seq2[*Batch, error] {
	return func(yield func(*Batch, error) bool) {
		b, size := &Batch{}, 0
		for {
			doc, err := r.next(ctx)
			if err == io.EOF {
				break
			}
			if err != nil {
				yield(nil, err)
				return
			}
			b.Put(doc)
			size += len(doc.Text)
			for _, t := range doc.Tokens {
				size += len(t)
			}
			if b.Len() == restoreBatchDocs || size >= restoreBatchBytes {
				if !yield(b, nil) {
					return
				}
				b, size = &Batch{}, 0
			}
		}
		if b.Len() > 0 {
			yield(b, nil)
		}
	}
}

// next returns the next document. It makes the collections on the way, so that empty
// ones are there too.
func (r *restoring) next(ctx context.Context) (d Document, err error) {
	for {
		if err := ctx.Err(); err != nil {
			return d, err
		}
		c, doc, err := r.dump.Next()
		switch {
		case err != nil:
			return d, dumpError(err)
		case c != nil:
			if err := r.make(ctx, *c); err != nil {
				return d, fmt.Errorf("line %d: collection %q: %w", r.dump.Line(), c.Name, err)
			}
			continue
		}
		if d, err = documentOf(r.collection, *doc); err != nil {
			return d, fmt.Errorf("line %d: %w", r.dump.Line(), err)
		}
		return d, nil
	}
}

func (r *restoring) make(ctx context.Context, c dump.Collection) error {
	settings, err := settingsOf(c)
	if err != nil {
		return err
	}
	r.collection = c.Name
	return r.db.CreateCollection(ctx, c.Name, settings)
}

func settingsOf(c dump.Collection) (Settings, error) {
	var s struct {
		Settings
		MinSim, Postings, Sets json.RawMessage // of older versions: they changed no answer
	}
	d := json.NewDecoder(bytes.NewReader(c.Settings))
	d.DisallowUnknownFields() // of a newer program: without it the collection would be another
	if err := d.Decode(&s); err != nil {
		return Settings{}, fmt.Errorf("%w: its settings: %w; restore it with the version that wrote it, or a later one", ErrFormatTooNew, err)
	}
	return s.Settings, nil
}

func documentOf(collection string, d dump.Document) (Document, error) {
	meta, err := engine.DecodeMeta(d.Meta)
	return Document{Collection: collection, ID: d.ID, Text: d.Text, Tokens: d.Tokens, Meta: meta}, err
}

// dumpError adds what a caller can act on to an error of package dump, and leaves its
// words as they are.
func dumpError(err error) error {
	for from, to := range map[error]error{dump.ErrDamaged: ErrCorrupt, dump.ErrVersion: ErrFormatTooNew, dump.ErrNoDump: ErrInvalid} {
		if errors.Is(err, from) {
			return dumpFault{err, to}
		}
	}
	return err
}

type dumpFault struct {
	error
	is error
}

func (f dumpFault) Unwrap() []error { return []error{f.error, f.is} }
