package view

// Sample of documents.

import (
	"context"
	"errors"
)

// Spread returns the ids of up to n documents: the first document of each of n sets at equal
// distances. Set numbers follow the time of the first write, so the sample covers the whole life
// of the collection evenly. Documents without shingles are excluded.
func (m *Snapshot) Spread(ctx context.Context, collection string, n int) (ids []string, err error) {
	v, err := m.View(collection)
	if err != nil {
		return nil, err
	}
	live := v.Live(0, v.Table.Len())
	n = max(0, min(n, len(live)))
	r := m.Reader(v)
	defer func() { err = errors.Join(err, r.Close()) }()
	for i := range n {
		if err := m.Interrupted(ctx); err != nil {
			return nil, err
		}
		of, err := r.IDs(live[i*len(live)/n], nil)
		if err != nil {
			return nil, err
		}
		if len(of) > 0 {
			ids = append(ids, of[0])
		}
	}
	return ids, nil
}
