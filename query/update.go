package query

// UPDATE: fields of the metadata change, the texts stay.

import (
	"encoding/json"
	"errors"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
)

// updateBytes bounds the changes that are stored at a time, about.
const updateBytes = 8 << 20

// update changes what its WHERE finds in a snapshot. As DELETE does, it works in batches,
// and can be run again if it is interrupted.
func (w writer) update(s *Update) (_ *Rows, err error) {
	snap, err := w.db.Snapshot()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, snap.Close()) }()
	change := api.Meta{}
	for _, a := range s.Set {
		if change[a.Field.Name], err = w.metadata(a.Value); err != nil {
			return nil, err
		}
	}
	p, err := w.chosen(snap, s, s.In, s.Where)
	if err != nil {
		return nil, err
	}
	encoded, err := json.Marshal(change)
	if err != nil {
		return nil, errorAt(s.Set[0].Pos, "values that JSON has", err.Error(), "")
	}
	most := min(deleteBatch, 1+updateBytes/len(encoded))
	var updated int64
	err = w.inBatches(snap, p, most, func(b *engine.Batch, d docRef) { b.UpdateMeta(d.collection, d.id, change) },
		func(b *engine.Batch) error {
			st, err := w.db.Commit(w.ctx, b)
			updated += int64(st.Updated)
			return placedAt(s.Set[0].Pos, err)
		})
	if err != nil {
		return nil, err
	}
	out := fixed([]string{"updated"}, Row{updated})
	out.lists = p.lists
	return out, nil
}
