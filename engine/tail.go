package engine

// Tail: reading changes from the history and the log, concurrently with a writer
// (docs/decisions/0046).

import (
	"bytes"
	"context"
	"fmt"
	"iter"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/groups"
	"github.com/simdb/simdb/engine/internal/history"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/wal"
)

// Tail yields the durable changes of the store in a directory, in the order of their commits.
// The store may be closed, or open for writing here or in another process: Tail only reads
// files, without locks. It yields ErrNotKept if the store keeps no history or no longer has
// the requested records, and ErrCorrupt with the place if it meets damage.
func Tail(ctx context.Context, path string, o api.TailOptions) iter.Seq2[api.Change, error] {
	return tail(ctx, vfs.Default, path, o)
}

// History returns the range and size of the history in a directory. It returns ErrNotKept
// if the store keeps none.
func History(path string) (api.HistoryRange, error) {
	p, err := disk.OpenPast(vfs.Default, path)
	if err != nil {
		return api.HistoryRange{}, err
	}
	r := api.HistoryRange{Keep: p.Keep}
	if r.Oldest, r.Newest, err = p.Range(); err == nil {
		r.Bytes, err = p.KeptBytes()
	}
	return r, err
}

// Tail yields the changes after record since, without waiting for further ones.
func (db *DB) Tail(ctx context.Context, since uint64) iter.Seq2[api.Change, error] {
	return func(yield func(api.Change, error) bool) {
		if err := db.enter(ctx); err != nil {
			yield(api.Change{}, fmt.Errorf("tail: %w", err))
			return
		}
		path := db.disk.File("")
		db.lifecycle.leave() // the log files, which Tail reads, outlive the open store
		tail(ctx, db.opts.fs, path, api.TailOptions{Since: since})(yield)
	}
}

// tail is Tail on any file system.
func tail(ctx context.Context, fs vfs.FS, path string, o api.TailOptions) iter.Seq2[api.Change, error] {
	return func(yield func(api.Change, error) bool) {
		if err := tailTo(ctx, fs, path, o, yield); err != nil {
			yield(api.Change{}, fmt.Errorf("tail: %w", err))
		}
	}
}

// tailTo passes the changes to yield. It returns nil once yield returns false.
func tailTo(ctx context.Context, fs vfs.FS, path string, o api.TailOptions, yield func(api.Change, error) bool) error {
	if ctx == nil {
		return fault.Invalid("the context is nil")
	}
	past, err := disk.OpenPast(fs, path)
	if err != nil {
		return err
	}
	if o.Oldest {
		if o.Since, _, err = past.Range(); err != nil {
			return err
		}
	}
	codec, err := record.NewCodec(0)
	if err != nil {
		return err
	}
	t := tailer{codec: codec, collections: map[uint32]tailed{}}
	for r, err := range past.Records(ctx, o.Since, o.Follow, t.begin) {
		if err != nil {
			return err
		}
		changes, err := t.changes(r, r.Seq > o.Since)
		if err != nil {
			return fmt.Errorf("log record %d: %w", r.Seq, err)
		}
		for _, c := range changes {
			if !yield(c, nil) {
				return nil
			}
		}
	}
	return nil
}

// tailer converts records into changes. It tracks the collections as of the current record.
type tailer struct {
	codec        *record.Codec
	collections  map[uint32]tailed
	settingsUpTo uint64 // collections has the settings of the records up to this one
}

// tailed is the part of a collection that decoding its texts requires.
type tailed struct {
	schema       *record.Schema
	dictionaries *record.Dictionaries
}

// begin restores the collections as of the beginning of the history.
func (t *tailer) begin(s history.Settings) error {
	for _, encoded := range s.Of {
		ops, err := record.DecodeSettings(encoded)
		if err != nil {
			return err
		}
		for i := range ops {
			if err := t.applySetting(&ops[i]); err != nil {
				return err
			}
		}
	}
	t.settingsUpTo = s.Until
	return nil
}

// applySetting applies an operation that decoding later records depends on. The operation
// aliases its record, so applySetting clones a value that it keeps.
func (t *tailer) applySetting(o *record.Operation) (err error) {
	c := t.collections[o.Number]
	switch o.Kind {
	case record.OpCreate:
		c = tailed{}
		if c.schema, _, err = record.DecodeSchema("", o.Number, o.Value); err != nil {
			return err
		}
	case record.OpDictionary:
		if c.dictionaries, err = c.dictionaries.With(bytes.Clone(o.Value)); err != nil {
			return err
		}
	default:
		return nil
	}
	t.collections[o.Number] = c
	return nil
}

// changes applies the settings of a record, and returns its changes if wanted.
func (t *tailer) changes(r history.Record, wanted bool) (out []api.Change, err error) {
	at, ops, err := record.DecodeOperations(r.Payload)
	if err != nil {
		return nil, err
	}
	for i := range ops {
		o := &ops[i]
		if r.Seq > t.settingsUpTo {
			if err := t.applySetting(o); err != nil {
				return nil, err
			}
		}
		if wanted && o.Kind == record.OpGrouped {
			events, err := groups.DecodeEvents(o.Name, o.Value)
			if err != nil {
				return nil, err
			}
			for i := range events {
				out = append(out, api.Change{Seq: r.Seq, Time: at, Kind: api.ChangeGroup, Collection: t.nameOf(o.Number), Group: &events[i]})
			}
		} else if wanted {
			c := api.Change{Seq: r.Seq, Time: at}
			if err := t.change(&c, o); err != nil {
				return nil, err
			}
			if c.Kind != "" {
				out = append(out, c)
			}
		}
		if o.Kind == record.OpDrop && r.Seq > t.settingsUpTo {
			delete(t.collections, o.Number)
		}
	}
	for i := range out {
		out[i].Place, out[i].Of = i+1, len(out)
	}
	return out, nil
}

// nameOf returns the name of a collection, or "" if it is unknown.
func (t *tailer) nameOf(collection uint32) string {
	if in := t.collections[collection]; in.schema != nil {
		return in.schema.Name
	}
	return ""
}

// change fills in the effect of an operation. It leaves Kind empty for operations that
// change no document or collection: notes, dictionaries, ledgers and groupings.
func (t *tailer) change(c *api.Change, o *record.Operation) (err error) {
	switch o.Kind {
	case record.OpNote, record.OpDictionary, record.OpAlike, record.OpGrouping, record.OpUngroup, record.OpLedger:
		return nil
	}
	in := t.collections[o.Number]
	if o.Kind == record.OpErase && (o.Name == "" || in.schema == nil) {
		return nil // concerns a dropped collection, so no document
	}
	if in.schema == nil {
		return fault.Corrupt("there is no collection %d", o.Number)
	}
	c.Collection, c.ID = in.schema.Name, o.Name
	switch o.Kind {
	case record.OpPut:
		c.Kind = api.ChangePut
		content, err := t.codec.Decode(o.Text, in.dictionaries)
		if err != nil {
			return err
		}
		if c.Text, err = in.schema.Text(content); err != nil {
			return err
		}
		c.Tokens = in.schema.Tokens(content)
		c.Meta, err = record.DecodeMeta(o.Meta)
		return err
	case record.OpMeta:
		c.Kind = api.ChangeMeta
		c.Meta, err = record.DecodeMeta(o.Meta)
	case record.OpDelete, record.OpErase:
		c.Kind = api.ChangeDelete
	case record.OpCreate:
		c.Kind, c.ID, c.Settings = api.ChangeCreate, "", &in.schema.Settings
	case record.OpDrop:
		c.Kind, c.ID = api.ChangeDrop, ""
	}
	return err
}

// The log as history: the settings in records, for internal/history (docs/decisions/0046).

// records interprets records for the history.
type records struct{ db *DB }

// Settings returns the settings in a record: the operations that later records depend on.
func (records) Settings(payload []byte) ([]byte, error) { return record.SettingsOf(payload) }

// Needed merges settings, and omits dropped collections.
func (records) Needed(settings [][]byte) ([]byte, error) { return record.ShortSettings(settings) }

// Present encodes the present collections and dictionaries as settings.
func (r records) Present() (out []byte, err error) {
	for _, c := range r.db.collections {
		o := record.Operation{Kind: record.OpCreate, Number: c.Number, Name: c.Name}
		if o.Value, err = c.Schema.Encode(); err != nil {
			return nil, err
		}
		out = o.Encode(out)
		err = disk.ScanSealed(r.db.disk.Pebble(), c.Key(keys.Dictionary), func(_, dictionary []byte) error {
			o := record.Operation{Kind: record.OpDictionary, Number: c.Number, Value: dictionary}
			out = o.Encode(out)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Marks: the moment that SIMILAR PAIRS SINCE refers to (docs/decisions/0036).

// Mark returns a mark of the present moment, for Search.Since, which then selects later puts.
// It waits until all earlier writes are durable, because otherwise, after a crash, a record
// with other documents could take the number of a record that the mark covers. A mark is
// printable, valid only for this store, and does not expire.
func (db *DB) Mark(ctx context.Context) (string, error) {
	s, err := db.Snapshot()
	if err != nil {
		return "", err
	}
	defer s.Close()
	return s.Mark(ctx)
}

// Mark is DB.Mark for the moment of the snapshot. If Pairs ran on this snapshot, the next
// Pairs since its mark misses no pair.
func (s *Snapshot) Mark(ctx context.Context) (string, error) {
	return callView(s, func(m *view.Snapshot) (string, error) {
		if s.log != (wal.Ticket{}) {
			if err := s.db.disk.Durable(ctx, s.log); err != nil {
				return "", err
			}
		}
		if s.db.opts.ReadOnly {
			if err := s.db.disk.SyncRead(); err != nil {
				return "", err
			}
		}
		return m.Mark(), nil
	})
}
