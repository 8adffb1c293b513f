package salvage

// Results of a salvage: collections, their documents, and notes.

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/internal/keys"
)

// Collection is a collection of which at least a record, a document or a text remains.
type Collection struct {
	Number       uint32
	Schema       *record.Schema // default settings if its own are lost
	Dictionaries [][]byte       // by number; none if any is lost

	record.Counters        // as stored
	Counted         bool   // the stored counters decode
	Logged          uint32 // puts in log records that the tables lack

	dictionaries map[uint32]*record.Dictionaries
	sought       bool // seek has run
}

// Document is a document with its stored text.
type Document struct {
	ID                    string
	record.DocumentRecord // Set is NoSet if unknown
	Content               string
	Stored                []byte // nil if the new store lacks the dictionary that compressed it
}

// Collections returns all collections by number. Call it before the other methods that depend on
// names and dictionaries.
func (s *Store) Collections(ctx context.Context) (out []*Collection, err error) {
	for n := uint32(0); ; {
		next, ok, err := s.collectionFrom(n)
		if err != nil || !ok {
			return out, err
		}
		c, err := s.collection(ctx, next)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
		if n = next + 1; n == 0 {
			return out, nil
		}
	}
}

// collectionFrom returns the smallest collection number ≥ n with any key.
func (s *Store) collectionFrom(n uint32) (found uint32, ok bool, err error) {
	for _, space := range []keys.Space{keys.Collection, keys.Document, keys.Text} {
		err := disk.ScanFrom(s.scratch, newest(keys.Of(space)), newest(keys.Of(space, n)), func(k, _ []byte) error {
			if numbers, _, err := keys.Numbers(k[1:], 1); err == nil && (!ok || numbers[0] < found) {
				found, ok = numbers[0], true
			}
			return disk.ErrEnough
		})
		if err != nil {
			return 0, false, err
		}
	}
	return found, ok, nil
}

// Groupings calls yield with the definitions of a collection's groupings: those in the tables by
// number, then those in the log by name. An empty value in the log means that the grouping was
// dropped.
func (s *Store) Groupings(ctx context.Context, c *Collection, yield func(name string, value []byte) error) error {
	return s.each(ctx, keys.Of(keys.Grouping, c.Number), func(k, value []byte) error {
		n, name, err := keys.Numbers(k, 2)
		if err != nil || n[1] != record.NoSet && len(name) > 0 { // incomplete: its first build had not ended
			return nil
		}
		return yield(string(name), value)
	})
}

// collection reads the record of a collection, or substitutes default settings.
func (s *Store) collection(ctx context.Context, n uint32) (*Collection, error) {
	c := &Collection{Number: n, dictionaries: map[uint32]*record.Dictionaries{}}
	v, err := s.get(keys.Of(keys.Collection, n))
	if err == nil && v != nil {
		c.Schema, _, err = record.DecodeSchema(s.unicode, n, v)
	}
	if err != nil {
		s.lost(err.Error())
	}
	lostRecord := c.Schema == nil
	if lostRecord {
		name := fmt.Sprintf("salvaged-%d", n)
		s.lost(fmt.Sprintf("the name and settings of collection %d; its documents are in %q, with default settings", n, name))
		if c.Schema, err = record.NewSchema(s.unicode, n, name, api.Settings{}); err != nil {
			return nil, err
		}
	}
	c.Logged = s.puts[n]
	if v, err := s.get(keys.Of(keys.Counters, n)); err == nil && v != nil {
		c.Counters, err = record.DecodeCounters(v)
		c.Counted = err == nil
	}
	if err := s.readDictionaries(ctx, c); err != nil || !lostRecord {
		return c, err
	}
	return c, s.guessTokens(ctx, c)
}

// Rename gives a collection a unique name and reports the old name as lost.
func (s *Store) Rename(c *Collection) (err error) {
	name := fmt.Sprintf("salvaged-%d", c.Number)
	s.lost(fmt.Sprintf("the name of collection %d: another is also called %q; its documents are in %q", c.Number, c.Schema.Name, name))
	c.Schema, err = record.NewSchema(s.unicode, c.Number, name, c.Schema.Settings)
	return err
}

// guessTokens infers the unit of a collection without settings from the layout of its texts.
func (s *Store) guessTokens(ctx context.Context, c *Collection) error {
	own, lexed, others := 0, 0, 0
	err := disk.Scan(s.scratch, newest(keys.Of(keys.Text, c.Number)), func(k, sealed []byte) error {
		if value, err := disk.Unseal(k[1:], sealed); err == nil {
			if content, err := s.decodeContent(c, value); err == nil && content != "" {
				switch {
				case record.LooksLexed(content):
					lexed++
				case record.LooksOwn(content):
					own++
				default:
					others++
				}
			}
		}
		return ctx.Err()
	})
	if err != nil || others > 0 {
		return err
	}
	for unit, n := range map[string]int{"token": own, "code": lexed} {
		if n > 0 && n == own+lexed {
			c.Schema, err = record.NewSchema(s.unicode, c.Number, c.Schema.Name, api.Settings{Unit: unit})
		}
	}
	return err
}

// readDictionaries reads the dictionaries of a collection. If one is missing, later numbers are
// uncertain.
func (s *Store) readDictionaries(ctx context.Context, c *Collection) error {
	var all [][]byte
	missing := false
	err := s.each(ctx, keys.Of(keys.Dictionary, c.Number), func(key, value []byte) error {
		var dictionary record.Dictionaries
		numbers, _, err := keys.Numbers(key, 2)
		if err == nil && len(value) > 0 {
			if err = dictionary.Add(value); err == nil {
				c.dictionaries[numbers[1]] = &dictionary
			}
		}
		if err != nil {
			s.lost(fmt.Sprintf("a dictionary of collection %q: %v", c.Schema.Name, err))
		}
		missing = missing || err != nil || len(value) == 0 || int(numbers[1]) != len(all)
		all = append(all, bytes.Clone(value))
		return nil
	})
	if missing = missing || int64(len(all)) < s.dictionaries[c.Number]; missing {
		s.unsure = true // log records refer to dictionaries by number
	} else {
		c.Dictionaries = all
	}
	return err
}

// Documents calls yield with the documents of a collection: first those with a record, by id,
// then those of which only the text remains.
func (s *Store) Documents(ctx context.Context, c *Collection, yield func(Document) error) error {
	prefix := keys.Of(keys.Document, c.Number)
	err := s.each(ctx, prefix, func(key, value []byte) error {
		id := string(key[len(prefix):])
		d, err := s.read(ctx, c, id, value)
		if errors.Is(err, api.ErrCorrupt) || errors.Is(err, api.ErrInvalid) || errors.Is(err, api.ErrTooLarge) {
			s.lost(fmt.Sprintf("document %q of collection %q: %v", id, c.Schema.Name, err))
			return nil
		}
		if err != nil {
			return err
		}
		return yield(d)
	})
	if err != nil {
		return err
	}
	return disk.Scan(s.scratch, newest(keys.Of(keys.Text, c.Number)), func(k, sealed []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		key := k[1:]
		n, rest, err := keys.Numbers(key, 2)
		if err != nil || record.CheckID(string(rest)) != nil {
			return nil
		}
		document := keys.WithID(keys.Of(keys.Document, c.Number), string(rest))
		if has, err := s.has(document); err != nil || has {
			return err
		}
		stored, err := disk.Unseal(key, sealed)
		if err != nil {
			s.lost(fmt.Sprintf("document %q of collection %q: its record is lost, and its text unreadable: %v", rest, c.Schema.Name, err))
			return nil
		}
		d := Document{ID: string(rest), DocumentRecord: record.DocumentRecord{Set: n[1]}}
		if err := s.decode(c, &d, stored, unknownBytes); err != nil {
			s.lost(fmt.Sprintf("document %q of collection %q: its record is lost, and its text unreadable: %v", rest, c.Schema.Name, err))
			return nil
		}
		s.lost(fmt.Sprintf("the metadata of document %q of collection %q; its text is there", rest, c.Schema.Name))
		if err := s.noteDeleted(document, 0); err != nil { // so that another copy of the text is skipped
			return err
		}
		return yield(d)
	})
}

// has reports whether a document is already handled or was deleted.
func (s *Store) has(document []byte) (bool, error) {
	if has, err := disk.Has(s.scratch, append([]byte{deletedKey}, document...)); has || err != nil {
		return has, err
	}
	v, err := disk.Get(s.scratch, newest(document))
	if v == nil || err != nil {
		return false, err
	}
	_, err = disk.Unseal(document, v)
	return err == nil, nil
}

// read reads a document from its record and finds its text.
func (s *Store) read(ctx context.Context, c *Collection, id string, value []byte) (d Document, err error) {
	if err := record.CheckID(id); err != nil {
		return d, err
	}
	d.ID = id
	if d.DocumentRecord, err = record.DecodeDocumentRecord(bytes.Clone(value)); err != nil {
		return d, err
	}
	if _, err := record.DecodeMeta(d.Meta); err != nil {
		return d, err
	}
	err = s.readText(c, &d, d.Set)
	if !errors.Is(err, api.ErrCorrupt) {
		return d, err
	}
	other := s.elsewhere(ctx, c, &d)
	if other == nil || !errors.Is(other, api.ErrCorrupt) {
		return d, other
	}
	return d, err
}

// readText reads the text under a set. ErrCorrupt if its length differs from that in the record.
func (s *Store) readText(c *Collection, d *Document, set uint32) error {
	stored, err := s.get(keys.WithID(keys.Of(keys.Text, c.Number, set), d.ID))
	if err != nil {
		return err
	}
	if stored == nil {
		return fault.Corrupt("its text is missing")
	}
	return s.decode(c, d, stored, d.TextBytes)
}

// elsewhere finds the text of a document under another set than that in the record. ErrCorrupt if
// no text fits.
func (s *Store) elsewhere(ctx context.Context, c *Collection, d *Document) error {
	if d.TextBytes == unknownBytes {
		return fault.Corrupt("its text is missing")
	}
	if !c.sought {
		if err := s.seek(ctx, c); err != nil {
			return err
		}
		c.sought = true
	}
	found := fault.Corrupt("its text is missing")
	prefix := soughtAt(c, d.ID)
	err := disk.Scan(s.scratch, prefix, func(k, _ []byte) error {
		err := s.readText(c, d, binary.BigEndian.Uint32(k[len(prefix):]))
		if err == nil {
			d.Set = binary.BigEndian.Uint32(k[len(prefix):])
			found = nil
			return disk.ErrEnough
		}
		if !errors.Is(err, api.ErrCorrupt) {
			return err
		}
		return ctx.Err()
	})
	return cmp.Or(err, found)
}

// seek notes the sets under which each id has a text.
func (s *Store) seek(ctx context.Context, c *Collection) error {
	return disk.Scan(s.scratch, newest(keys.Of(keys.Text, c.Number)), func(k, _ []byte) error {
		n, id, err := keys.Numbers(k[1:], 2)
		if err != nil {
			return ctx.Err()
		}
		return errors.Join(ctx.Err(), s.set(binary.BigEndian.AppendUint32(soughtAt(c, string(id)), n[1]), nil))
	})
}

// soughtAt returns the prefix of an id's notes by seek.
func soughtAt(c *Collection, id string) []byte {
	return escape(binary.BigEndian.AppendUint32([]byte{soughtKey}, c.Number), []byte(id))
}

// decode decodes a stored text. Its content must have size bytes.
func (s *Store) decode(c *Collection, d *Document, stored []byte, size int64) error {
	content, err := s.decodeContent(c, stored)
	if err != nil {
		return err
	}
	if size != unknownBytes && size != int64(len(content)) {
		return fault.Corrupt("the text has %d bytes, the record says %d", len(content), size)
	}
	if err := c.Schema.Open(content, &api.Document{}); err != nil {
		return err
	}
	d.Content, d.TextBytes, d.Stored = content, int64(len(content)), nil
	if _, compressed := record.DictionaryOf(stored); !compressed || c.Dictionaries != nil {
		d.Stored = bytes.Clone(stored)
	}
	return nil
}

// decodeContent decodes with each dictionary by itself, so that a lost one affects only its own
// texts.
func (s *Store) decodeContent(c *Collection, stored []byte) (string, error) {
	number, ok := record.DictionaryOf(stored)
	if !ok {
		return s.codec.Decode(stored, nil)
	}
	dictionary := c.dictionaries[uint32(number)]
	if dictionary == nil || number >= 1<<32 {
		return "", fault.Corrupt("the dictionary of its text is lost")
	}
	return dictionary.DecodeAlone(stored)
}

// Notes calls yield with the notes.
func (s *Store) Notes(ctx context.Context, yield func(name string, value []byte) error) error {
	return s.each(ctx, keys.Of(keys.Note), func(key, value []byte) error { return yield(string(key[1:]), value) })
}
