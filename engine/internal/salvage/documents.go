package salvage

// What comes out: collections, their documents, and notes.

import (
	"bytes"
	"context"
	"fmt"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/internal/keys"
)

// Collection is one that has a record or a document.
type Collection struct {
	Number       uint32
	Schema       *record.Schema // of default settings, if its own are lost
	dictionaries map[uint32]*record.Dictionaries
}

// Collections finds all collections, by number.
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

// collectionFrom finds the smallest number ≥ n that anything is under.
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

// Groupings hands out how groups of a collection are kept: what tables have of it, then what
// the log says by name, which is nothing of a grouping that was dropped.
func (s *Store) Groupings(ctx context.Context, c *Collection, yield func(name string, value []byte) error) error {
	return s.each(ctx, keys.Of(keys.Grouping, c.Number), func(k, value []byte) error {
		n, name, err := keys.Numbers(k, 2)
		if err != nil || n[1] != record.NoSet && len(name) > 0 { // of one that was being built
			return nil
		}
		return yield(string(name), value)
	})
}

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
	if err := s.readDictionaries(ctx, c); err != nil || !lostRecord {
		return c, err
	}
	return c, s.guessTokens(ctx, c)
}

// guessTokens tells by the texts whether a collection whose settings are lost has tokens
// of its own.
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

func (s *Store) readDictionaries(ctx context.Context, c *Collection) error {
	return s.each(ctx, keys.Of(keys.Dictionary, c.Number), func(key, value []byte) error {
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
		return nil
	})
}

// Documents hands out the documents of a collection: first those that have a record, by
// id, then those of which only the text is left.
func (s *Store) Documents(ctx context.Context, c *Collection, yield func(api.Document) error) error {
	prefix := keys.Of(keys.Document, c.Number)
	err := s.each(ctx, prefix, func(key, value []byte) error {
		id := string(key[len(prefix):])
		d, err := s.read(c, id, value)
		if err != nil {
			s.lost(fmt.Sprintf("document %q of collection %q: %v", id, c.Schema.Name, err))
			return nil
		}
		return yield(d)
	})
	if err != nil {
		return err
	}
	prefix = keys.Of(keys.Text, c.Number)
	return s.each(ctx, prefix, func(key, stored []byte) error {
		_, rest, err := keys.Numbers(key, 2)
		if err != nil || len(rest) == 0 {
			return nil
		}
		id := string(rest)
		document := keys.WithID(keys.Of(keys.Document, c.Number), id)
		if has, err := s.has(document); err != nil || has {
			return err
		}
		text, err := s.decode(c, stored, unknownBytes)
		if err != nil {
			s.lost(fmt.Sprintf("document %q of collection %q: its record is lost, and of its text %v", id, c.Schema.Name, err))
			return nil
		}
		s.lost(fmt.Sprintf("the metadata of document %q of collection %q; its text is there", id, c.Schema.Name))
		return yield(api.Document{Collection: c.Schema.Name, ID: id, Text: text.Text, Tokens: text.Tokens, Lexed: text.Lexed})
	})
}

// has says whether a document is told already, or was deleted.
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

func (s *Store) read(c *Collection, id string, value []byte) (d api.Document, err error) {
	r, err := record.DecodeDocumentRecord(value)
	if err != nil {
		return d, err
	}
	stored, err := s.get(keys.WithID(keys.Of(keys.Text, c.Number, r.Set), id))
	if err != nil {
		return d, err
	}
	if stored == nil {
		return d, fault.Corrupt("its text is missing")
	}
	if d, err = s.decode(c, bytes.Clone(stored), r.TextBytes); err != nil {
		return d, err
	}
	d.Collection, d.ID = c.Schema.Name, id
	d.Meta, err = record.DecodeMeta(r.Meta)
	return d, err
}

// decode reads a stored text, which with its tokens must have so many bytes.
func (s *Store) decode(c *Collection, stored []byte, size int64) (d api.Document, err error) {
	content, err := s.decodeContent(c, stored)
	if err != nil {
		return d, err
	}
	if size != unknownBytes && size != int64(len(content)) {
		return d, fault.Corrupt("the text has %d bytes, the record says %d", len(content), size)
	}
	return d, c.Schema.Open(content, &d)
}

func (s *Store) decodeContent(c *Collection, stored []byte) (string, error) {
	number, ok := record.DictionaryOf(stored)
	if !ok {
		return s.codec.Decode(stored, nil)
	}
	dictionary := c.dictionaries[uint32(number)]
	if dictionary == nil || number >= 1<<32 {
		return "", fault.Corrupt("the dictionary that its text is compressed with is lost")
	}
	return dictionary.DecodeAlone(stored)
}

// Notes hands out the notes.
func (s *Store) Notes(ctx context.Context, yield func(name string, value []byte) error) error {
	return s.each(ctx, keys.Of(keys.Note), func(key, value []byte) error { return yield(string(key[1:]), value) })
}
