package salvage

// What lets the salvaged store go on where the broken one was: its log records have numbers,
// its sets too, and callers keep some of both.

import (
	"context"

	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/internal/keys"
)

// Last is the greatest number of a log record that anything tells of.
func (s *Store) Last() uint64 { return s.last }

// KeepsNumbers reports whether the numbers of sets are all that were given: no table is missing,
// and no record of the log.
func (s *Store) KeepsNumbers() bool { return s.broken.Whole() && !s.damaged && !s.unsure }

// KeepsLog reports whether log and history can go on: no record is missing, and nothing that
// records are read with. It is known once all collections have been found.
func (s *Store) KeepsLog() bool {
	return s.broken.Named() && !s.unsure && (s.inForce || !s.broken.KeepsLog())
}

// Figures are those of the records of a collection's documents.
type Figures struct {
	Documents int64
	Next      uint32 // above the number of each set
}

// Figures reads the records of a collection's documents, those that are whole.
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

// Stored hands out the values of a key space of a collection as they are stored.
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

// Rows hands out the rows of a collection's ledger, but for those that erased says are gone.
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

// Erasures hands out what the store was to erase still.
func (s *Store) Erasures(ctx context.Context, yield func(key, value []byte) error) error {
	return s.each(ctx, keys.Of(keys.Erase), yield)
}

// Events hands out what records of the log that the tables lack say of the groups of a
// collection, by the name of the grouping.
func (s *Store) Events(ctx context.Context, c *Collection, yield func(name string, events []byte) error) error {
	prefix := keys.Of(keys.GroupID, c.Number, record.NoSet)
	return s.each(ctx, prefix, func(key, value []byte) error {
		if n := len(key) - 8; n >= len(prefix) {
			return yield(string(key[len(prefix):n]), value)
		}
		return nil
	})
}
