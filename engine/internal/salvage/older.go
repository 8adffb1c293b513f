package salvage

// Log records that the tables already contain: segments not yet released, and the history. They
// restore data that the tables lost.

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"slices"

	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/history"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/wal"
)

// readOlder applies the records up to s.applied to a separate layer and copies from it whatever
// the tables lack. It does not report unreadable records as lost, because the tables should
// contain their effects.
func (s *Store) readOlder(ctx context.Context) error {
	kept, settings, err := s.broken.History()
	if err != nil {
		return err
	}
	logs, err := s.broken.Logs()
	if err != nil {
		return err
	}
	s.inForce = len(settings) > 0
	kept = slices.DeleteFunc(kept, func(f wal.File) bool { return f.Last > mostRecords })
	if n := len(kept); n > 0 { // the tables contained them, even if the applied number is lost
		s.applied = max(s.applied, kept[n-1].Last)
	}
	report := s.lost
	s.layer, s.lost = olderKey, func(string) {}
	for _, path := range logs {
		if first, ok := firstOf(path); ok {
			kept = append(kept, wal.File{Path: path, First: first})
		}
	}
	err = s.applyOlder(ctx, kept, settings)
	s.layer, s.lost = newestKey, report
	if err != nil {
		return err
	}
	return s.restoreLost(ctx)
}

// applyOlder applies the records of segments and, between them, the settings of the history. If
// the dictionaries before the first record are unknown, it skips dictionaries in records, because
// their numbers are unknown too.
func (s *Store) applyOlder(ctx context.Context, files []wal.File, settings []history.InForce) error {
	numbered, last := len(settings) > 0, uint64(0)
	for _, f := range files {
		numbered = numbered || f.First == 1
		_, err := s.eachRecord(ctx, f.Path, f.First, func(seq uint64, ops []record.Operation) error {
			if seq <= last || seq > s.applied {
				return nil
			}
			last = seq
			for len(settings) > 0 && settings[0].Seq <= seq {
				if settings[0].Seq < seq {
					between, err := record.DecodeSettings(settings[0].Settings)
					if err == nil {
						err = s.applyAll(between, settings[0].Seq)
					}
					if err != nil {
						return err
					}
				}
				settings = settings[1:]
			}
			for i := range ops {
				if ops[i].Kind == record.OpDictionary && !numbered {
					continue
				}
				if err := s.apply(&ops[i], record.Written{Record: seq, Place: uint32(i)}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// restoreLost copies from the older layer the keys that the tables lack or have in an earlier
// state.
func (s *Store) restoreLost(ctx context.Context) error {
	known, err := s.groupings(ctx)
	if err != nil {
		return err
	}
	erased := s.broken.Erased()
	for _, space := range []keys.Space{keys.Collection, keys.Dictionary, keys.Note, keys.Ledger, keys.Erase, keys.Grouping} {
		err := s.eachOlder(ctx, space, func(key, value []byte) error {
			switch {
			case space == keys.Grouping && known[named(key, value)]:
				return nil
			case space == keys.Erase && binary.BigEndian.Uint64(value) <= erased: // the erasure has completed
				return nil
			}
			if v, err := s.get(key); err == nil && v != nil {
				return nil
			}
			return s.put(key, value)
		})
		if err != nil {
			return err
		}
	}
	err = disk.Scan(s.scratch, []byte{goneKey}, func(k, seq []byte) error {
		now, whole := s.document(k[1:])
		if whole && now.Written.Record > binary.LittleEndian.Uint64(seq) {
			return ctx.Err()
		}
		return errors.Join(ctx.Err(), s.remove(k[1:]), s.noteDeleted(k[1:], 0))
	})
	if err != nil {
		return err
	}
	return s.eachOlder(ctx, keys.Document, func(key, value []byte) error {
		n, id, err := keys.Numbers(key, 1)
		if err != nil {
			return nil
		}
		older, err := record.DecodeDocumentRecord(value)
		if err != nil {
			return nil
		}
		text := func(set uint32) []byte { return keys.WithID(keys.Of(keys.Text, n[0], set), string(id)) }
		if now, whole := s.document(key); whole && now.Written.Compare(older.Written) >= 0 {
			if stored, err := s.get(text(now.Set)); stored != nil && err == nil {
				return nil
			}
		}
		sealed, err := disk.Get(s.scratch, append([]byte{olderKey}, text(record.NoSet)...))
		if sealed == nil || err != nil {
			return err
		}
		return errors.Join(s.set(newest(text(record.NoSet)), sealed), s.put(key, value))
	})
}

// eachOlder iterates over a key space of the older layer.
func (s *Store) eachOlder(ctx context.Context, space keys.Space, yield func(key, value []byte) error) error {
	return s.eachIn(ctx, olderKey, keys.Of(space), func(string) {}, yield)
}

// grouping identifies a grouping of a collection.
type grouping struct {
	collection uint32
	name       string
}

// groupings returns the groupings in the tables.
func (s *Store) groupings(ctx context.Context) (map[grouping]bool, error) {
	all := map[grouping]bool{}
	err := s.eachIn(ctx, newestKey, keys.Of(keys.Grouping), func(string) {}, func(key, value []byte) error {
		all[named(key, value)] = true
		return nil
	})
	return all, err
}

// named returns the name of a grouping from its key or value.
func named(key, value []byte) grouping {
	var stored struct {
		Name string `json:"name"`
	}
	n, name, err := keys.Numbers(key, 2)
	if err == nil && len(name) == 0 {
		err = json.Unmarshal(value, &stored)
		name = []byte(stored.Name)
	}
	if err != nil {
		return grouping{}
	}
	return grouping{n[0], string(name)}
}
