package salvage

// Numbers that the salvaged store continues: numbers of log records and of sets. The marks of
// callers contain both.

import (
	"context"

	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/internal/keys"
)

// Last returns the greatest number of a log record found anywhere.
func (s *Store) Last() uint64 { return s.last }

// KeepsNumbers reports whether all allocated set numbers are known: no table and no log record
// is missing. If not, a new number could repeat one that a mark includes.
func (s *Store) KeepsNumbers() bool { return s.broken.Whole() && !s.damaged && !s.unsure }

// KeepsLog reports whether the log and the history can continue: no record is missing, nor the
// settings to decode one. Call it after Collections.
func (s *Store) KeepsLog() bool {
	return s.broken.Named() && !s.unsure && (s.inForce || !s.broken.KeepsLog())
}

// Figures summarise the document records of a collection.
type Figures struct {
	Documents int64
	Next      uint32 // greater than every set number
}

// Figures scans the document records of a collection and skips damaged ones.
func (s *Store) Figures(ctx context.Context, c *Collection) (f Figures, err error) {
	err = s.eachIn(ctx, newestKey, keys.Of(keys.Document, c.Number), func(string) {}, func(_, value []byte) error {
		r, err := record.DecodeDocumentRecord(value)
		if err != nil {
			return nil
		}
		f.Documents++
		if r.Set != record.NoSet {
			f.Next = max(f.Next, r.Set+1)
		}
		if r.Written.Record <= mostRecords {
			s.last = max(s.last, r.Written.Record)
		}
		return nil
	})
	return f, err
}

// Stored calls yield with the values of a key space of a collection as the tables store them,
// without unsealing them. It leaves out the group events of log records, which Events yields.
func (s *Store) Stored(ctx context.Context, space keys.Space, c *Collection, yield func(key, value []byte) error) error {
	return disk.Scan(s.scratch, newest(keys.Of(space, c.Number)), func(k, value []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if n, _, err := keys.Numbers(k[1:], 2); err != nil || n[1] == record.NoSet && space == keys.GroupID {
			return nil
		}
		return yield(k[1:], value)
	})
}

// Rows calls yield with the ledger rows of a collection; seq is the number of the row's log
// record.
func (s *Store) Rows(ctx context.Context, c *Collection, yield func(seq uint64, key, row []byte) error) error {
	return s.each(ctx, keys.Of(keys.Ledger, c.Number), func(key, row []byte) error {
		seq, err := keys.LedgerEntry(key)
		if err != nil {
			s.lost(err.Error())
			return nil
		}
		return yield(seq, key, row)
	})
}

// Erasures calls yield with the erasures that the store still had to complete.
func (s *Store) Erasures(ctx context.Context, yield func(key, value []byte) error) error {
	return s.each(ctx, keys.Of(keys.Erase), yield)
}

// Events calls yield with the group events of a collection, by grouping, from the log records
// that the tables lack.
func (s *Store) Events(ctx context.Context, c *Collection, yield func(name string, events []byte) error) error {
	prefix := keys.Of(keys.GroupID, c.Number, record.NoSet)
	return s.each(ctx, prefix, func(key, value []byte) error {
		if n := len(key) - 8; n >= len(prefix) {
			return yield(string(key[len(prefix):n]), value)
		}
		return nil
	})
}
