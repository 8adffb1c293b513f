package load

// Dump writes the content of a database as lines that Restore reads.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/load/internal/dump"
)

// Dump writes all collections with their settings, and all documents, as lines of JSON for Restore.
// It writes one snapshot, in bounded memory. A dump is lossless: texts and ids need not be UTF-8,
// and a restored database has the same dump, byte for byte.
//
// A dump does not contain:
//   - notes, so an interrupted import cannot be resumed in the restored database;
//   - the order of writes: after a restore KeepFirst and KeepNewest follow the order of ids;
//   - the members of groups, only their definitions: Restore computes the groups again, with
//     new numbers;
//   - the ledger.
//
// If documents cannot be read, Dump writes all others and returns an *api.DumpError. After any
// other error the dump is incomplete, and Restore refuses it.
func Dump(ctx context.Context, db *simdb.DB, w io.Writer) error {
	if err := engine.CheckContext(ctx); err != nil {
		return err
	}
	s, err := db.Snapshot()
	if err != nil {
		return err
	}
	defer s.Close()
	collections, err := s.Collections(ctx)
	if err != nil {
		return err
	}
	d := dumping{snapshot: s}
	if d.w, err = dump.NewWriter(w, int64(len(collections)), documentsIn(collections)); err != nil {
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

// dumping is a dump in progress.
type dumping struct {
	snapshot *simdb.Snapshot
	w        *dump.Writer
	lost     api.DumpError
}

// collection writes a collection and its documents.
func (d *dumping) collection(ctx context.Context, c api.CollectionInfo) error {
	described, err := describeCollection(c, d.groupings(c.Name))
	if err == nil {
		err = d.w.Collection(described)
	}
	if err != nil {
		return err
	}
	for info, err := range d.snapshot.Infos(ctx, c.Name, "") {
		if damaged, ok := errors.AsType[*api.UnreadableError](err); ok {
			d.leaveOut(damaged.ID, err)
			continue
		}
		if err != nil {
			return err
		}
		doc, err := d.snapshot.Get(ctx, c.Name, info.ID)
		if errors.Is(err, api.ErrCorrupt) {
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

// leaveOut counts an unreadable document and remembers the first error.
func (d *dumping) leaveOut(id string, err error) {
	if d.lost.Documents++; d.lost.Documents == 1 {
		d.lost.ID, d.lost.Err = id, err
	}
	d.w.Unreadable()
}

// describeCollection converts a collection to its form in a dump; settingsOf is the inverse.
func describeCollection(c api.CollectionInfo, groupings []api.Grouping) (d dump.Collection, err error) {
	d.Name, d.Documents = c.Name, c.Documents
	if d.Settings, err = json.Marshal(c.Settings); err == nil && len(groupings) > 0 {
		d.Groups, err = json.Marshal(groupings)
	}
	return d, err
}

// groupings returns the materialised groupings of a collection.
func (d *dumping) groupings(collection string) []api.Grouping {
	return slices.DeleteFunc(d.snapshot.Groupings(), func(g api.Grouping) bool { return g.Collection != collection })
}

// describeDocument converts a document to its form in a dump; documentOf is the inverse.
func describeDocument(d api.Document) (dump.Document, error) {
	meta, err := engine.EncodeMeta(d.Meta)
	return dump.Document{ID: d.ID, Text: d.Text, Tokens: d.Tokens, Lexed: d.Lexed, Meta: meta}, err
}
