package condition

// Puts that replace similar documents, for imports that keep the longest or the newest of
// near duplicates.

import (
	"cmp"
	"slices"

	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/view"

	"github.com/simdb/simdb/api"
)

// evict marks all documents that conflict with the put at a place as gone. It returns nil
// if the put may not replace all of them.
func (d *decision) evict(place int) (out []api.Dropped, falls []Fall, err error) {
	o := &d.ops[place]
	met := map[string]*condition{} // by evicted id
	for i := range o.conditions {
		c := &o.conditions[i]
		if c.watches {
			continue
		}
		var rows []api.Dropped
		for _, hit := range c.earlier {
			if p := d.stillStands(o, hit); p != nil {
				if o.Wants.IfLonger && p.TextBytes >= o.TextBytes {
					return nil, nil, nil
				}
				rows = append(rows, api.Dropped{Op: place, ID: p.Name, Match: c.Match(o.Schema.Name, o.Name, hit.Score), Measure: c.Measure})
			}
		}
		for _, hit := range c.stored {
			ids, err := d.idsOf(o, hit.Set)
			if err != nil {
				return nil, nil, err
			}
			for _, id := range ids {
				if err := d.m.Interrupted(d.ctx); err != nil {
					return nil, nil, err
				}
				if longer, err := d.longer(o, id); err != nil || o.Wants.IfLonger && !longer {
					return nil, nil, err
				}
				rows = append(rows, api.Dropped{Op: place, ID: id, Match: c.Match(o.Schema.Name, o.Name, hit.Score), Measure: c.Measure})
			}
		}
		for _, r := range rows {
			if met[r.ID] == nil {
				met[r.ID] = c
				out = append(out, r)
			}
		}
	}
	slices.SortFunc(out, func(a, b api.Dropped) int { return cmp.Compare(a.ID, b.ID) })
	if falls, err = d.evicted(place, out, met); err != nil {
		return nil, nil, err
	}
	for _, r := range out {
		id := ref{o.Schema.Number, r.ID}
		if last, touched := d.last[id]; touched {
			d.falls(last)
		}
		d.last[id] = gone
	}
	return out, falls, nil
}

// idsOf lists the stored documents that are still in a set when the turn of o comes,
// except o's own.
func (d *decision) idsOf(o *operation, set uint32) ([]string, error) {
	r := d.reader(o)
	if r == nil {
		return nil, nil
	}
	ids, err := r.IDs(set, nil)
	return slices.DeleteFunc(ids, func(id string) bool {
		_, touched := d.last[ref{o.Schema.Number, id}]
		return touched || id == o.Name
	}), err
}

// longer reports whether a put's text has more bytes than that of a stored document.
func (d *decision) longer(o *operation, id string) (bool, error) {
	r, err := d.recordOf(o, id)
	return err == nil && r.TextBytes < o.TextBytes, err
}

// recordOf reads the record of a stored document. A missing record is corruption.
func (d *decision) recordOf(o *operation, id string) (*record.DocumentRecord, error) {
	r, err := view.ReadRecord(d.m.Pebble, o.Schema, id)
	if err == nil && r == nil {
		err = fault.Corrupt("the record of document %q is missing", id)
	}
	return r, err
}
