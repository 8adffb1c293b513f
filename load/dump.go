package load

// Dump: everything that was put into a database, as lines that Restore reads.

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

// Dump writes all collections with their settings, and all documents, as lines of JSON for Restore. It writes
// one snapshot, in bounded memory. Nothing is lost: texts and ids need not be UTF-8, and a restored database
// has the same dump, byte for byte.
//
// A dump does not contain:
//   - notes, so an interrupted import cannot be resumed in the restored database;
//   - the order in which documents were written: there KeepFirst and KeepNewest go by the order of ids;
//   - the members of groups, only their definitions: Restore makes the groups anew, with new numbers;
//   - the ledger.
//
// If documents cannot be read, Dump writes all others and returns an *api.DumpError. After any other error the
// dump is incomplete, and Restore refuses it.
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

// dumping is a dump under way.
type dumping struct {
	snapshot *simdb.Snapshot
	w        *dump.Writer
	lost     api.DumpError
}

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

// leaveOut counts a document that cannot be read.
func (d *dumping) leaveOut(id string, err error) {
	if d.lost.Documents++; d.lost.Documents == 1 {
		d.lost.ID, d.lost.Err = id, err
	}
	d.w.Unreadable()
}

// describeCollection takes all that Settings has into a dump, and settingsOf takes it
// out again.
func describeCollection(c api.CollectionInfo, groupings []api.Grouping) (d dump.Collection, err error) {
	d.Name, d.Documents = c.Name, c.Documents
	if d.Settings, err = json.Marshal(c.Settings); err == nil && len(groupings) > 0 {
		d.Groups, err = json.Marshal(groupings)
	}
	return d, err
}

// groupings are those that are kept of a collection.
func (d *dumping) groupings(collection string) []api.Grouping {
	return slices.DeleteFunc(d.snapshot.Groupings(), func(g api.Grouping) bool { return g.Collection != collection })
}

// describeDocument takes all that Document has into a dump, and documentOf takes it out
// again.
func describeDocument(d api.Document) (dump.Document, error) {
	meta, err := engine.EncodeMeta(d.Meta)
	return dump.Document{ID: d.ID, Text: d.Text, Tokens: d.Tokens, Lexed: d.Lexed, Meta: meta}, err
}
