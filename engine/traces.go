package engine

// Traces of documents: where a store still has the text, the metadata or the id of a
// document, also of one that was deleted or refused before, or whose collection was dropped.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/groups"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/internal/keys"
)

// Trace is a place of a store with traces of documents.
type Trace struct {
	Place  string // documents, ledger, log and history, or notes
	Traces int64  // documents, rows, changes or notes
	Until  string // the event that removes them
}

// tracing counts the traces of documents with certain ids in the collections with certain
// names; without ids, of all their documents.
type tracing struct {
	names map[string]bool
	ids   []string
	of    map[uint32]string // names of all collections by number, also of dropped ones
	live  map[uint32]*collection

	documents, rows, notes int64
	logged                 map[uint32]int64 // changes in log and history
}

// EraseTraces erases documents by id, durably, in collections of certain names, also in
// dropped ones: the next Compact removes every trace. Nil ids stand for the collections as a
// whole, with their settings; EraseTraces drops those that are present. It returns the
// traces before the erasure, and ErrNoCollection for a name that the store does not contain.
func (db *DB) EraseTraces(ctx context.Context, in, ids []string) ([]Trace, error) {
	for _, id := range ids {
		if err := record.CheckID(id); err != nil {
			return nil, err
		}
	}
	if err := db.enterToWrite(ctx); err != nil {
		return nil, err
	}
	defer db.lifecycle.leave()
	if err := db.creating.Acquire(ctx, 1); err != nil { // no collection comes or goes meanwhile
		return nil, err
	}
	defer db.creating.Release(1)
	t, err := db.trace(ctx, in, ids)
	if err != nil {
		return nil, err
	}
	var p prepared
	for number, name := range t.of {
		if !t.names[name] {
			continue
		}
		c := ofDropped(number)
		if live := t.live[number]; live != nil && ids == nil {
			p.add(&drop{of{live}})
		} else if live != nil {
			c = of{live}
		}
		if ids == nil {
			p.add(&erasure{removal{document{of: c}}})
		}
		for _, id := range ids {
			p.add(&erasure{removal{document{c, id}}})
		}
	}
	if len(p.ops) > 0 {
		_, err = db.commitAndWait(ctx, nil, p)
	}
	return t.found(), err
}

// Traces returns the traces of documents that EraseTraces would erase: those of the
// present, not of the snapshot.
func (s *Snapshot) Traces(ctx context.Context, in, ids []string) ([]Trace, error) {
	leave, err := s.enter()
	if err != nil {
		return nil, err
	}
	defer leave()
	t, err := s.db.trace(ctx, in, ids)
	if err != nil {
		return nil, err
	}
	return t.found(), nil
}

// found lists the places with traces.
func (t *tracing) found() (all []Trace) {
	var logged int64
	for number, n := range t.logged {
		if t.names[t.of[number]] {
			logged += n
		}
	}
	for _, x := range []Trace{
		{Place: "documents", Traces: t.documents, Until: "COMPACT"},
		{Place: "ledger", Traces: t.rows, Until: "COMPACT"},
		{Place: "log and history", Traces: logged, Until: "COMPACT"},
		{Place: "notes", Traces: t.notes, Until: "their program removes them, and COMPACT"},
	} {
		if x.Traces > 0 {
			all = append(all, x)
		}
	}
	return all
}

// trace counts traces in the whole store. A concurrent write may add more.
func (db *DB) trace(ctx context.Context, in, ids []string) (*tracing, error) {
	t := &tracing{names: map[string]bool{}, ids: ids, of: map[uint32]string{}, live: map[uint32]*collection{}, logged: map[uint32]int64{}}
	for _, name := range in {
		t.names[record.OrDefault(name)] = true
	}
	db.builder.trimming.Lock() // segments of the log stay in their place
	defer db.builder.trimming.Unlock()
	db.mu.Lock()
	last, upTo := db.last, db.seq
	for _, c := range db.collections {
		t.live[c.Number], t.of[c.Number] = c, c.Name
		if t.names[c.Name] && ids == nil {
			t.documents += c.Documents
		}
	}
	db.mu.Unlock()
	if err := db.isDurable(ctx, last); err != nil {
		return nil, err
	}
	if err := t.readLog(ctx, db, upTo); err != nil {
		return nil, err
	}
	for name := range t.names {
		known := name == api.DefaultCollection && ids != nil
		for _, n := range t.of {
			known = known || n == name
		}
		if !known {
			return nil, fmt.Errorf("collection %q %w: neither present nor in the history", name, api.ErrNoCollection)
		}
	}
	return t, t.readTables(ctx, db)
}

// readLog counts the changes in log and history, and collects the names of collections.
func (t *tracing) readLog(ctx context.Context, db *DB, upTo uint64) error {
	for _, s := range db.disk.KeptSettings() {
		ops, err := record.DecodeSettings(s)
		if err != nil {
			return err
		}
		t.note(ops)
	}
	for payload, err := range db.disk.Logged(ctx, upTo) {
		if err != nil {
			return err
		}
		_, ops, err := record.DecodeOperations(payload)
		if err != nil {
			return err
		}
		t.note(ops)
		for i := range ops {
			if err := t.count(&ops[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// note collects the names of created and dropped collections.
func (t *tracing) note(ops []record.Operation) {
	for _, o := range ops {
		if o.Kind == record.OpCreate || o.Kind == record.OpDrop {
			t.of[o.Number] = o.Name
		}
	}
}

// count counts the traces in an operation.
func (t *tracing) count(o *record.Operation) error {
	in, named := o.Number, false
	switch o.Kind {
	case record.OpPut, record.OpMeta, record.OpDelete, record.OpErase:
		named = t.wants(o.Name)
	case record.OpGrouped:
		events, err := groups.DecodeEvents(o.Name, o.Value)
		if err != nil {
			return err
		}
		named = slices.ContainsFunc(events, func(x api.GroupEvent) bool { return x.ID != "" && t.wants(x.ID) })
	case record.OpLedger:
		rows, err := record.LedgerRows(o.Value)
		if err != nil {
			return err
		}
		for _, row := range rows {
			_, err := rowNames(row, o.Number, func(x erased) bool {
				if t.wants(x.id) {
					in, named = x.collection, true
				}
				return false
			})
			if err != nil {
				return err
			}
		}
	}
	if named {
		t.logged[in]++
	}
	return nil
}

// wants reports whether traces of an id count.
func (t *tracing) wants(id string) bool { return t.ids == nil || slices.Contains(t.ids, id) }

// readTables counts documents, ledger rows and notes.
func (t *tracing) readTables(ctx context.Context, db *DB) error {
	p := db.disk.Pebble()
	for number, c := range t.live {
		if t.names[c.Name] {
			for _, id := range t.ids {
				v, err := disk.Get(p, keys.WithID(c.Key(keys.Document), id))
				if err != nil {
					return err
				}
				if v != nil {
					t.documents++
				}
			}
		}
		if !c.Settings.Ledger {
			continue
		}
		err := disk.ScanSealed(p, c.Key(keys.Ledger), func(_, row []byte) error {
			names, err := rowNames(row, number, func(x erased) bool { return t.names[t.of[x.collection]] && t.wants(x.id) })
			if names {
				t.rows++
			}
			return errors.Join(err, ctx.Err())
		})
		if err != nil {
			return err
		}
	}
	return disk.ScanSealed(p, keys.Of(keys.Note), func(key, value []byte) error {
		if slices.ContainsFunc(t.ids, func(id string) bool { return containsWord(string(key[1:]), id) || containsWord(string(value), id) }) {
			t.notes++
		}
		return ctx.Err()
	})
}

// containsWord reports whether s contains word, with no letter or digit before or after it.
func containsWord(s, word string) bool {
	letter := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	for {
		before, after, found := strings.Cut(s, word)
		if !found {
			return false
		}
		last, _ := utf8.DecodeLastRuneInString(before)
		first, _ := utf8.DecodeRuneInString(after)
		if !letter(last) && !letter(first) {
			return true
		}
		s = s[len(before)+1:]
	}
}
