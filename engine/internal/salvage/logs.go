package salvage

// Log records that the tables lack. Each log segment is read by itself, in order; records that the
// tables already contain are skipped.

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2"

	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/internal/keys"
)

// readLogs applies the records after s.applied and reports gaps.
func (s *Store) readLogs(ctx context.Context) error {
	paths, err := s.broken.Logs()
	if err != nil {
		return err
	}
	report := s.lost
	s.lost = func(what string) {
		s.unsure = true
		report(what)
	}
	defer func() { s.lost = report }()
	last := uint64(0) // last record read
	for _, path := range paths {
		first, ok := firstOf(path)
		if !ok {
			s.lost(fmt.Sprintf("%s: not the name of a log segment", path))
			continue
		}
		if from := max(last, s.applied); first > from+1 {
			s.lost(fmt.Sprintf("log records %d to %d, which %s should follow", from+1, first-1, path))
		}
		end, err := s.eachRecord(ctx, path, first, func(seq uint64, ops []record.Operation) error {
			if last = seq; seq <= s.applied {
				return nil
			}
			return s.applyAll(ops, seq)
		})
		if err != nil {
			return err
		}
		last = max(last, end)
	}
	if mark := s.broken.Mark(); mark > max(last, s.applied) {
		s.lost(fmt.Sprintf("log records %d to %d, which had been synced", max(last, s.applied)+1, mark))
	}
	_, counted := s.broken.Counted()
	for _, seq := range []uint64{last, s.applied, s.broken.Mark(), counted} {
		if seq <= mostRecords {
			s.last = max(s.last, seq)
		}
	}
	return nil
}

// mostRecords exceeds the length of any log; a greater number is damage.
const mostRecords = 1 << 56

// firstOf parses the number of a segment's first record from its file name.
func firstOf(path string) (first uint64, ok bool) {
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	first, err := strconv.ParseUint(name, 16, 64)
	return first, err == nil && first > 0 && first <= mostRecords
}

// eachRecord calls do with the records of a segment and reports unreadable ones as lost. A record
// that does not decode reaches do without operations. eachRecord returns the number of the last
// record. Errors come from do or ctx only.
func (s *Store) eachRecord(ctx context.Context, path string, first uint64, do func(seq uint64, ops []record.Operation) error) (last uint64, err error) {
	end, err := s.broken.ReplayLog(path, first, func(seq uint64, payload []byte) error {
		if err := ctx.Err(); err != nil {
			return &scratchError{err}
		}
		_, ops, err := record.DecodeOperations(payload)
		if err != nil {
			s.lost(fmt.Sprintf("log record %d: %v", seq, err))
		}
		if err := do(seq, ops); err != nil {
			return &scratchError{err}
		}
		return nil
	})
	if _, failed := errors.AsType[*scratchError](err); failed {
		return end.Last, err
	}
	if err != nil {
		s.lost(fmt.Sprintf("%s: %v", path, err))
	}
	return end.Last, nil
}

// applyAll applies the operations of a record.
func (s *Store) applyAll(ops []record.Operation, seq uint64) error {
	for i := range ops {
		if err := s.apply(&ops[i], record.Written{Record: seq, Place: uint32(i)}); err != nil {
			return err
		}
	}
	return nil
}

// apply applies an operation to the current layer. It reports an operation as lost if damage makes
// it inapplicable.
func (s *Store) apply(o *record.Operation, at record.Written) error {
	id := func(space keys.Space, n ...uint32) []byte { return keys.WithID(keys.Of(space, n...), o.Name) }
	switch o.Kind {
	case record.OpPut, record.OpDelete, record.OpErase:
		if o.Kind == record.OpErase && o.Name == "" { // of a dropped collection
			return s.put(keys.OfErase(o.Number, ""), binary.BigEndian.AppendUint64(nil, at.Record))
		}
		if err := s.forget(o); err != nil {
			return err
		}
		if o.Kind == record.OpErase {
			if err := s.put(keys.OfErase(o.Number, o.Name), binary.BigEndian.AppendUint64(nil, at.Record)); err != nil {
				return err
			}
		}
		if o.Deletes() {
			return s.noteDeleted(id(keys.Document, o.Number), at.Record)
		}
		if s.layer == newestKey {
			s.puts[o.Number]++
		}
		r := record.DocumentRecord{Set: record.NoSet, TextBytes: unknownBytes, Written: at, Meta: o.Meta}
		return errors.Join(s.put(id(keys.Document, o.Number), r.Encode()), s.put(id(keys.Text, o.Number, record.NoSet), o.Text))
	case record.OpMeta:
		return s.change(o)
	case record.OpNote:
		if o.Value == nil {
			return s.remove(keys.OfNote(o.Name))
		}
		return s.put(keys.OfNote(o.Name), o.Value)
	case record.OpCreate:
		began := record.Counters{Counts: record.Counts{Began: at.Record}}
		return errors.Join(s.put(keys.Of(keys.Counters, o.Number), began.Encode()), s.put(keys.Of(keys.Collection, o.Number), o.Value))
	case record.OpDrop:
		for _, space := range keys.PerCollection {
			prefix := s.in(keys.Of(space, o.Number))
			if err := s.write(func(b *pebble.Batch) error { return disk.DeleteUnder(b, prefix) }); err != nil {
				return err
			}
		}
	case record.OpDictionary:
		return s.addDictionary(o)
	case record.OpLedger:
		rows, err := record.LedgerRows(o.Value)
		if err != nil {
			s.lost(fmt.Sprintf("rows of the ledger of collection %d: %v", o.Number, err))
			return nil
		}
		for i, row := range rows {
			key := binary.BigEndian.AppendUint32(keys.OfLedger(o.Number, at.Record), uint32(i))
			if err := s.put(key, row); err != nil {
				return err
			}
		}
	case record.OpGrouped:
		if s.layer == newestKey {
			return s.put(binary.BigEndian.AppendUint64(id(keys.GroupID, o.Number, record.NoSet), at.Record), o.Value)
		}
	case record.OpGrouping, record.OpUngroup:
		return s.put(id(keys.Grouping, o.Number, record.NoSet), o.Value)
	}
	return nil
}

// noteDeleted notes the deletion of a document by a record.
func (s *Store) noteDeleted(document []byte, seq uint64) error {
	if s.layer == olderKey {
		return s.set(append([]byte{goneKey}, document...), binary.LittleEndian.AppendUint64(nil, seq))
	}
	return s.set(append([]byte{deletedKey}, document...), nil)
}

// unknownBytes stands for the text length of a document that only the log contains.
const unknownBytes = 1<<62 - 1

// forget removes the record and the text of a document.
func (s *Store) forget(o *record.Operation) error {
	key := keys.WithID(keys.Of(keys.Document, o.Number), o.Name)
	if s.layer == olderKey {
		if err := s.delete(append([]byte{goneKey}, key...)); err != nil {
			return err
		}
	}
	if r, ok := s.document(key); ok {
		if err := s.remove(keys.WithID(keys.Of(keys.Text, o.Number, r.Set), o.Name)); err != nil {
			return err
		}
	}
	return s.remove(key)
}

// document returns the record of a document; ok is false if it is missing or damaged.
func (s *Store) document(key []byte) (r record.DocumentRecord, ok bool) {
	v, err := s.get(key)
	if v == nil || err != nil {
		return r, false
	}
	r, err = record.DecodeDocumentRecord(v)
	return r, err == nil
}

// change applies a change of metadata.
func (s *Store) change(o *record.Operation) error {
	key := keys.WithID(keys.Of(keys.Document, o.Number), o.Name)
	r, ok := s.document(key)
	if !ok {
		s.lost(fmt.Sprintf("a change of the metadata of document %q: its record is missing", o.Name))
		return nil
	}
	was, err := record.DecodeMeta(r.Meta)
	change, changeErr := record.DecodeMeta(o.Meta)
	if err := errors.Join(err, changeErr); err != nil {
		s.lost(fmt.Sprintf("a change of the metadata of document %q: %v", o.Name, err))
		return nil
	}
	if r.Meta, err = record.EncodeMeta(record.Changed(was, change, false)); err != nil {
		return err
	}
	return s.put(key, r.Encode())
}

// addDictionary adds a dictionary from the log. If an earlier dictionary is missing, the number of
// this one is unknown, so addDictionary reports it as lost: under a wrong number it would decode
// texts to wrong content.
func (s *Store) addDictionary(o *record.Operation) error {
	next := int64(0)
	err := disk.Scan(s.scratch, s.in(keys.Of(keys.Dictionary, o.Number)), func(k, _ []byte) error {
		n, _, err := keys.Numbers(k[1:], 2)
		if err == nil && int64(n[1]) != next {
			err = fault.Corrupt("the previous dictionary is missing")
		}
		next++
		return err
	})
	if err != nil || s.layer == newestKey && next < s.dictionaries[o.Number] {
		s.lost(fmt.Sprintf("a dictionary of collection %d, because earlier ones are lost", o.Number))
		return s.put(keys.Of(keys.Dictionary, o.Number, 1<<31), nil) // a gap, so that later ones get no number either
	}
	return s.put(keys.Of(keys.Dictionary, o.Number, uint32(next)), o.Value)
}

// noteDictionary notes the number of the dictionary that a text in the tables refers to.
func (s *Store) noteDictionary(key, sealed []byte) {
	if keys.Space(key[0]) != keys.Text {
		return
	}
	n, _, err := keys.Numbers(key, 2)
	if value, bad := disk.Unseal(key, sealed); err == nil && bad == nil {
		if number, ok := record.DictionaryOf(value); ok {
			s.dictionaries[n[0]] = max(s.dictionaries[n[0]], int64(number)+1)
		}
	}
}
