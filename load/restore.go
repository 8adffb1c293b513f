package load

// Restore fills a database from a dump. A note marks a restore in progress, because a killed
// process leaves a part of the dump, which must not pass for the whole.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/internal/ingest"
	"github.com/simdb/simdb/load/internal/dump"
)

// Restore loads a dump, plain or compressed by gzip or zstd, into a database without documents; it
// returns ErrExists if there are any. Afterwards the database has exactly the collections of the
// dump. Nothing else may write during a restore.
//
// For a damaged or truncated dump, or a repeated line, Restore returns ErrCorrupt with the line.
// After an error the database is empty, with two exceptions that leave a part of the dump: the
// process was killed, or a write failed (ErrPoisoned), for example on a full disk. Restoring
// reports this state, and the next Restore starts over.
func Restore(ctx context.Context, db *simdb.DB, r io.Reader) (err error) {
	if err := engine.CheckContext(ctx); err != nil {
		return err
	}
	began, err := Restoring(db)
	if err != nil {
		return err
	}
	if documents := db.Metrics().Documents; documents > 0 && !began {
		return fmt.Errorf("restore: the database %w, with %d documents; name a database without documents", api.ErrExists, documents)
	}
	unpacked, err := ingest.Unpack(r)
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	defer unpacked.Close()
	err = setNote(ctx, db, api.RestoreNote, []byte("under way"))
	if err != nil && ctx.Err() == nil {
		return err
	}
	if err == nil { // otherwise ctx has ended; the note may be stored all the same, and is deleted below
		err = dropAll(ctx, db)
	}
	if err == nil {
		in := restoring{db: db, dump: dump.NewReader(unpacked, maxDumpLine(db))}
		err = db.Load(ctx, in.batches(ctx), func(*simdb.Batch, api.BatchStats) {})
		for i := 0; err == nil && i < len(in.groupings); i++ {
			err = db.CreateGroups(ctx, in.groupings[i])
		}
	}
	if errors.Is(err, api.ErrPoisoned) { // drops would fail too; Restoring reports the state
		return fmt.Errorf("restore: %w", err)
	}
	ctx = context.WithoutCancel(ctx) // the cleanup must complete
	if err != nil {
		if dropErr := dropAll(ctx, db); dropErr != nil {
			return errors.Join(fmt.Errorf("restore: %w", err), dropErr)
		}
		err = fmt.Errorf("restore: %w", err)
	}
	return errors.Join(err, setNote(ctx, db, api.RestoreNote, nil))
}

// Restoring reports whether a Restore began and did not end, because its process was killed or a
// write failed. The database then contains only a part of the dump.
func Restoring(db *simdb.DB) (bool, error) {
	note, err := db.Note(api.RestoreNote)
	return note != nil, err
}

// setNote commits one note.
func setNote(ctx context.Context, db *simdb.DB, name string, value []byte) error {
	var b simdb.Batch
	b.Note(name, value)
	_, err := db.Commit(ctx, &b)
	return err
}

// dropAll drops all collections.
func dropAll(ctx context.Context, db *simdb.DB) error {
	collections, err := db.Collections(ctx)
	if err != nil {
		return err
	}
	for _, c := range collections {
		if err := db.DropCollection(ctx, c.Name); err != nil {
			return err
		}
	}
	return nil
}

// maxDumpLine returns the limit for a line of a dump, in bytes: up to six bytes per byte of text,
// and metadata up to the size of a log record.
func maxDumpLine(db *simdb.DB) int64 {
	maxDoc := db.MaxDocBytes()
	if maxDoc <= 0 {
		maxDoc = 16 << 20
	}
	return 6*maxDoc + 1<<30
}

// restoring is a restore in progress.
type restoring struct {
	db         *simdb.DB
	dump       *dump.Reader
	collection string
	groupings  []api.Grouping // created after all documents, by one join each
}

// Limits of a batch of a restore: documents, and bytes of texts and tokens.
const (
	restoreBatchDocs  = 256
	restoreBatchBytes = 1 << 20
)

// batches yields the documents of the dump in batches.
func (r *restoring) batches(ctx context.Context) iter.Seq2[*simdb.Batch, error] {
	return func(yield func(*simdb.Batch, error) bool) {
		b, size := &simdb.Batch{}, 0
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
			size += len(doc.Text) + len(doc.Lexed)
			for _, t := range doc.Tokens {
				size += len(t)
			}
			if b.Len() == restoreBatchDocs || size >= restoreBatchBytes {
				if !yield(b, nil) {
					return
				}
				b, size = &simdb.Batch{}, 0
			}
		}
		if b.Len() > 0 {
			yield(b, nil)
		}
	}
}

// next returns the next document, or io.EOF. On the way it creates the collections, so that empty
// ones exist too.
func (r *restoring) next(ctx context.Context) (d api.Document, err error) {
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

// make creates a collection and keeps its groupings for later.
func (r *restoring) make(ctx context.Context, c dump.Collection) error {
	settings, err := settingsOf(c)
	if err != nil {
		return err
	}
	if c.Groups != nil {
		var kept []api.Grouping
		if err := decodeKnown(c.Groups, &kept); err != nil {
			return fmt.Errorf("%w: its groups: %w; restore it with the version that wrote it, or a later one", api.ErrFormatTooNew, err)
		}
		r.groupings = append(r.groupings, kept...)
	}
	r.collection = c.Name
	return r.db.CreateCollection(ctx, c.Name, settings)
}

// settingsOf decodes the settings of a collection. An unknown setting is ErrFormatTooNew, because
// ignoring it would create a different collection.
func settingsOf(c dump.Collection) (api.Settings, error) {
	var s struct {
		api.Settings
		MinSim, Postings, Sets json.RawMessage // of older versions; they had no effect on answers
	}
	if err := decodeKnown(c.Settings, &s); err != nil {
		return api.Settings{}, fmt.Errorf("%w: its settings: %w; restore it with the version that wrote it, or a later one", api.ErrFormatTooNew, err)
	}
	return s.Settings, nil
}

// decodeKnown decodes JSON and refuses unknown fields, which a newer program wrote.
func decodeKnown(b []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// documentOf converts a document of a dump.
func documentOf(collection string, d dump.Document) (api.Document, error) {
	meta, err := engine.DecodeMeta(d.Meta)
	return api.Document{Collection: collection, ID: d.ID, Text: d.Text, Tokens: d.Tokens, Lexed: d.Lexed, Meta: meta}, err
}

// dumpError wraps an error of package dump, so that errors.Is also finds the error of package api
// that a caller can test. The message is unchanged.
func dumpError(err error) error {
	for from, to := range map[error]error{dump.ErrDamaged: api.ErrCorrupt, dump.ErrVersion: api.ErrFormatTooNew, dump.ErrNoDump: api.ErrInvalid} {
		if errors.Is(err, from) {
			return dumpFault{err, to}
		}
	}
	return err
}

// dumpFault is an error of package dump with a sentinel of package api.
type dumpFault struct {
	error
	is error
}

// Unwrap returns both errors for errors.Is.
func (f dumpFault) Unwrap() []error { return []error{f.error, f.is} }
