package engine

// Tail: what was changed, read from the history and the log beside whoever writes them
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

// Tail goes through the changes of the store in a directory, in the order in which they
// were made, as far as they survive a crash. The store may be open for writing, here or
// in another process, or closed: its files are read, nothing is locked or written. ErrNotKept
// if the history does not reach back so far, or the store keeps none; ErrCorrupt, with the
// place, where it is damaged.
func Tail(ctx context.Context, path string, o api.TailOptions) iter.Seq2[api.Change, error] {
	return tail(ctx, vfs.Default, path, o)
}

// History says what the store in a directory keeps. ErrNotKept if it keeps nothing.
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

// Tail is the function Tail for an open store, for changes after a record, without
// waiting for more.
func (db *DB) Tail(ctx context.Context, since uint64) iter.Seq2[api.Change, error] {
	return func(yield func(api.Change, error) bool) {
		if err := db.enter(ctx); err != nil {
			yield(api.Change{}, fmt.Errorf("tail: %w", err))
			return
		}
		db.lifecycle.leave() // files of the log are read, and they stay when the store is closed
		tail(ctx, db.opts.fs, db.disk.File(""), api.TailOptions{Since: since})(yield)
	}
}

func tail(ctx context.Context, fs vfs.FS, path string, o api.TailOptions) iter.Seq2[api.Change, error] {
	return func(yield func(api.Change, error) bool) {
		if err := tailTo(ctx, fs, path, o, yield); err != nil {
			yield(api.Change{}, fmt.Errorf("tail: %w", err))
		}
	}
}

// tailTo returns no error once yield wants no more.
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

// tailer reads records as changes. It knows the collections of that time.
type tailer struct {
	codec       *record.Codec
	collections map[uint32]tailed
	settled     uint64 // what records up to here settle is known
}

// tailed is a collection, as far as its texts need it.
type tailed struct {
	schema       *record.Schema
	dictionaries *record.Dictionaries
}

func (t *tailer) begin(s history.Settings) error {
	for _, encoded := range s.Of {
		ops, err := record.DecodeSettings(encoded)
		if err != nil {
			return err
		}
		for i := range ops {
			if err := t.settle(&ops[i]); err != nil {
				return err
			}
		}
	}
	t.settled = s.Until
	return nil
}

// settle takes what an operation settles for later ones. The operation aliases its record.
func (t *tailer) settle(o *record.Operation) (err error) {
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

// changes returns what a record changes, if it is told, and settles what it settles.
func (t *tailer) changes(r history.Record, told bool) (out []api.Change, err error) {
	at, ops, err := record.DecodeOperations(r.Payload)
	if err != nil {
		return nil, err
	}
	for i := range ops {
		o := &ops[i]
		if r.Seq > t.settled {
			if err := t.settle(o); err != nil {
				return nil, err
			}
		}
		if told && o.Kind == record.OpGrouped {
			events, err := groups.DecodeEvents(o.Name, o.Value)
			if err != nil {
				return nil, err
			}
			for i := range events {
				out = append(out, api.Change{Seq: r.Seq, Time: at, Kind: api.ChangeGroup, Collection: t.nameOf(o.Number), Group: &events[i]})
			}
		} else if told {
			c := api.Change{Seq: r.Seq, Time: at}
			if err := t.change(&c, o); err != nil {
				return nil, err
			}
			if c.Kind != "" {
				out = append(out, c)
			}
		}
		if o.Kind == record.OpDrop && r.Seq > t.settled {
			delete(t.collections, o.Number)
		}
	}
	for i := range out {
		out[i].Place, out[i].Of = i+1, len(out)
	}
	return out, nil
}

func (t *tailer) nameOf(collection uint32) string {
	if in := t.collections[collection]; in.schema != nil {
		return in.schema.Name
	}
	return ""
}

// change fills in what an operation does. What changes nothing that is stored is no change:
// notes, dictionaries, ledgers, and which groupings there are.
func (t *tailer) change(c *api.Change, o *record.Operation) (err error) {
	switch o.Kind {
	case record.OpNote, record.OpDictionary, record.OpAlike, record.OpGrouping, record.OpUngroup, record.OpLedger:
		return nil
	}
	in := t.collections[o.Number]
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

// The log as history: what of its records the store tells the room of files, and the
// setting (docs/decisions/0046).

// records tells history what its records mean.
type records struct{ db *DB }

func (records) Settings(payload []byte) ([]byte, error) { return record.SettingsOf(payload) }

func (records) Needed(settings [][]byte) ([]byte, error) { return record.ShortSettings(settings) }

// Present makes the collections and dictionaries of now, as records would have done.
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

// Marks: the moment that SIMILAR PAIRS SINCE counts from (docs/decisions/0036).

// Mark names the present moment of the store, for Search.Since: what is put from now on
// is written since. It waits until all that was written before survives a crash, so that
// no record with other documents can take the number of one that the mark has seen. A
// mark is printable, belongs to this store and never ends.
func (db *DB) Mark(ctx context.Context) (string, error) {
	s, err := db.Snapshot()
	if err != nil {
		return "", err
	}
	defer s.Close()
	return s.Mark(ctx)
}

// Mark is DB.Mark for the moment of the snapshot. A caller that takes the mark of the snapshot
// that Pairs is asked of misses nothing the next time.
func (s *Snapshot) Mark(ctx context.Context) (string, error) {
	return called(s, func(m *view.Snapshot) (string, error) {
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
