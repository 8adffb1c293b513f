package search

// Conditions on the similarity index of documents, WHERE si > a AND si < b, by the ordered
// keys of the first index that the collection keeps.

import (
	"cmp"
	"errors"
	"math"

	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/internal/keys"
)

// eachSI calls visit for the sets with an index in the range. It returns false if the
// collection keeps no index or the range has too many sets.
func (l *lookup) eachSI(f *Fields, visit func(set uint32)) (ok bool, err error) {
	if len(l.v.Kept.SI) == 0 || f.Low == nil && f.High == nil {
		return false, nil
	}
	low, high := int64(math.MinInt64), int64(math.MaxInt64)
	if f.Low != nil {
		low = f.Low.(int64)
	}
	if f.High != nil {
		high = f.High.(int64)
	}
	if cmp.Less(high, low) { // empty range
		l.used = append(l.used, "si")
		return true, nil
	}
	return l.scan("si", keys.OfSI(l.v.Number, 0, low), keys.OfSI(l.v.Number, 0, high), func(key []byte) error {
		_, set, err := keys.SIEntry(key)
		if err != nil {
			return fault.Corrupt("%w", err)
		}
		visit(set)
		return nil
	})
}

// idsBySI returns the ids of the documents of these sets.
func (l *lookup) idsBySI(f *Fields) (ids []string, ok bool, err error) {
	var sets []uint32
	if ok, err = l.eachSI(f, func(set uint32) { sets = append(sets, set) }); !ok {
		return nil, false, err
	}
	r := l.m.Reader(l.v)
	defer func() { err = errors.Join(err, r.Close()) }()
	for i, set := range sets {
		if i%1024 == 0 {
			if err := l.m.Interrupted(l.ctx); err != nil {
				return nil, false, err
			}
		}
		if ids, err = r.IDs(set, ids); err != nil {
			return nil, false, err
		}
		if int64(len(ids)) > l.most { // many documents share a set
			return nil, false, nil
		}
	}
	return ids, true, nil
}
