package simdb

// Dump: everything that was put into a database, as lines that Restore reads.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/internal/dump"
)

// Dump writes all collections with their settings, and all documents, as lines of
// JSON that Restore reads. Nothing is lost: texts and ids need not be UTF-8, and a
// database restored from a dump has the same dump, byte for byte. Dump writes the
// database as it is when Dump is called, in bounded memory.
//
// Notes are not in it, so an import that was interrupted cannot be resumed in the
// restored database. Nor is the order in which documents were written: in the restored
// database KeepFirst and KeepNewest go by the order of the ids.
//
// If documents cannot be read, Dump writes all others and returns an *UnreadableError.
// After any other error the dump is not complete, and Restore refuses it.
func (db *DB) Dump(ctx context.Context, w io.Writer) error {
	if err := checkContext(ctx); err != nil {
		return err
	}
	s, err := db.Snapshot()
	if err != nil {
		return err
	}
	defer s.Close()
	collections := s.Collections()
	var documents int64
	for _, c := range collections {
		documents += c.Documents
	}
	d := dumping{snapshot: s}
	if d.w, err = dump.NewWriter(w, int64(len(collections)), documents); err != nil {
		return err
	}
	for _, c := range collections {
		if err := d.collection(ctx, c); err != nil {
			return fmt.Errorf("dump: %w", err)
		}
	}
	if err := d.w.Close(); err != nil {
		return err
	}
	if d.lost.Documents > 0 {
		return fmt.Errorf("dump: %w", &d.lost)
	}
	return nil
}

// UnreadableError says that a damaged database could not give all of its documents. It
// is ErrCorrupt.
type UnreadableError struct {
	Documents int64  // that are left out
	ID        string // of the first
	Err       error  // why
}

// Error says how many documents are left out, the first of them, and why.
func (e *UnreadableError) Error() string {
	return fmt.Sprintf("%d documents cannot be read and all others are written; the first is %q: %v", e.Documents, e.ID, e.Err)
}

// Unwrap returns why.
func (e *UnreadableError) Unwrap() error { return e.Err }

// dumping is a dump under way.
type dumping struct {
	snapshot *Snapshot
	w        *dump.Writer
	lost     UnreadableError
}

func (d *dumping) collection(ctx context.Context, c CollectionInfo) error {
	described, err := describeCollection(c)
	if err == nil {
		err = d.w.Collection(described)
	}
	if err != nil {
		return err
	}
	for info, err := range d.snapshot.Infos(ctx, c.Name) {
		var damaged *engine.UnreadableError
		if errors.As(err, &damaged) {
			d.leaveOut(damaged.ID, err)
			continue
		}
		if err != nil {
			return err
		}
		doc, err := d.snapshot.Get(c.Name, info.ID)
		if errors.Is(err, ErrCorrupt) {
			d.leaveOut(info.ID, err)
			continue
		}
		if err != nil {
			return err
		}
		described, err := describeDocument(doc)
		if err == nil {
			err = d.w.Document(described)
		}
		if err != nil {
			return fmt.Errorf("document %q: %w", doc.ID, err)
		}
	}
	return nil
}

// leaveOut counts a document that cannot be read.
func (d *dumping) leaveOut(id string, err error) {
	if d.lost.Documents++; d.lost.Documents == 1 {
		d.lost.ID, d.lost.Err = id, err
	}
	d.w.Unreadable()
}

// describeCollection takes all that Settings has into a dump, and settingsOf takes it
// out again.
func describeCollection(c CollectionInfo) (dump.Collection, error) {
	settings, err := json.Marshal(c.Settings)
	return dump.Collection{Name: c.Name, Settings: settings, Documents: c.Documents}, err
}

// describeDocument takes all that Document has into a dump, and documentOf takes it out
// again.
func describeDocument(d Document) (dump.Document, error) {
	meta, err := engine.EncodeMeta(d.Meta)
	return dump.Document{ID: d.ID, Text: d.Text, Tokens: d.Tokens, Meta: meta}, err
}
