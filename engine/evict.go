package engine

// Puts that take the place of what is similar to them, for imports that keep the longest
// or the newest of near duplicates.

import (
	"cmp"
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/view"
)

// evicts says when a put takes the place of the documents that would keep it out.
type evicts struct {
	ifLonger bool // only if its text has more bytes than each of theirs
}

// PutReplacingSimilar adds a document and removes those that are similar to it, as
// PutUnlessSimilar means it. If onlyLonger is set it does so only if the text is longer, in
// bytes, than that of every one of them; else the document is dropped. Evicted tells what was
// removed.
func (b *Batch) PutReplacingSimilar(d api.Document, q Search, onlyLonger bool) {
	b.PutUnlessSimilar(d, q)
	b.ops[len(b.ops)-1].evicts = &evicts{ifLonger: onlyLonger}
}

// Evicted lists the documents that puts of the batch took the place of, in the order of the
// batch, then by id. Op is the place of the put, ID the document that is gone, and Match
// the new one. It is there when Dropped is.
func (b *Batch) Evicted() []api.Dropped { return b.evicted }

// evict takes out all that keeps the put at a place from taking effect; nil if it must not.
func (j *judging) evict(place int) (out []api.Dropped, err error) {
	o := &j.ops[place]
	met := map[string]bool{}
	for i := range o.conditions {
		g := &o.conditions[i]
		var rows []api.Dropped
		for _, hit := range g.peers {
			if p := j.peer(o, hit); p != nil {
				if o.evicts.ifLonger && p.textBytes >= o.textBytes {
					return nil, nil
				}
				rows = append(rows, api.Dropped{Op: place, ID: p.Name, Match: g.Match(o.c.Name, o.Name, hit.Score), Measure: g.Measure})
			}
		}
		for _, hit := range g.rivals {
			ids, err := j.idsOf(o, hit.Set)
			if err != nil {
				return nil, err
			}
			for _, id := range ids {
				if err := j.m.Interrupted(j.ctx); err != nil {
					return nil, err
				}
				if longer, err := j.longer(o, id); err != nil || o.evicts.ifLonger && !longer {
					return nil, err
				}
				rows = append(rows, api.Dropped{Op: place, ID: id, Match: g.Match(o.c.Name, o.Name, hit.Score), Measure: g.Measure})
			}
		}
		for _, d := range rows {
			if !met[d.ID] {
				met[d.ID] = true
				out = append(out, d)
			}
		}
	}
	slices.SortFunc(out, func(a, b api.Dropped) int { return cmp.Compare(a.ID, b.ID) })
	for _, d := range out {
		id := ref{o.Number, d.ID}
		if last, touched := j.last[id]; touched {
			j.falls(last)
		}
		j.last[id] = gone
	}
	return out, nil
}

// idsOf lists the stored documents that have a set when the turn of o comes, without o's.
func (j *judging) idsOf(o *operation, set uint32) ([]string, error) {
	r := j.reader(o)
	if r == nil {
		return nil, nil
	}
	ids, err := r.IDs(set, nil)
	return slices.DeleteFunc(ids, func(id string) bool {
		_, touched := j.last[ref{o.Number, id}]
		return touched || id == o.Name
	}), err
}

// longer says whether a put's text is longer than that of a stored document.
func (j *judging) longer(o *operation, id string) (bool, error) {
	r, err := view.ReadRecord(j.m.Pebble, o.c.Schema, id)
	if err == nil && r == nil {
		err = fault.Corrupt("the record of document %q is missing", id)
	}
	return err == nil && r.TextBytes < o.textBytes, err
}
