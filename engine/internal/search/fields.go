package search

// Prefilter by the index of metadata fields: it finds the sets with a document that a
// predicate may accept (docs/decisions/0033). It is safe but not exact: the reader of the
// rows evaluates the predicate itself.

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"cmp"
	"errors"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/keys"
)

// Fields is a condition on the metadata of a document: every condition of All, any condition of
// Any, or a value in [Low, High] of the field at Path (or of a list in that field). Both ends
// have the same type: bool, float64, string or time.Time; nil means unbounded. Rows of a search
// need not meet the condition: the index removes most of the documents that do not, not all.
type Fields struct {
	All, Any  []Fields
	Path      []string
	Low, High any
	SI        bool // the value is not metadata but the first similarity index that the collection keeps; Low and High are int64
}

// check returns an error unless both ends have the same type, which the index can store.
func (f *Fields) check() error {
	if f == nil {
		return nil
	}
	for _, list := range [][]Fields{f.All, f.Any} {
		for i := range list {
			if err := list[i].check(); err != nil {
				return err
			}
		}
	}
	if f.SI {
		_, low := f.Low.(int64)
		_, high := f.High.(int64)
		if !low && f.Low != nil || !high && f.High != nil {
			return fault.Invalid("the similarity index from %v to %v: want int64, not %T and %T", f.Low, f.High, f.Low, f.High)
		}
		return nil
	}
	low, high := record.FieldKey(f.Low), record.FieldKey(f.High)
	switch {
	case f.Low != nil && low == nil || f.High != nil && high == nil:
		return fault.Invalid("field %s from %v to %v: want a bool, float64, string or time.Time, not %T and %T", strings.Join(f.Path, "."), f.Low, f.High, f.Low, f.High)
	case low != nil && high != nil && low[0] != high[0]:
		return fault.Invalid("field %s from %v to %v: one is a %T, the other a %T", strings.Join(f.Path, "."), f.Low, f.High, f.Low, f.High)
	}
	return nil
}

// Sets is a set of set numbers.
type Sets = roaring.Bitmap

// Has reports whether s contains a set; nil contains all.
func Has(s *Sets, set uint32) bool { return s == nil || s.Contains(set) }

const (
	// fieldsShare bounds the useful selectivity: a condition that more than a tenth of the
	// documents meet costs more to read than it saves.
	fieldsShare = 10
	// fewDocuments is the number of entries that may be read whatever their share.
	fewDocuments = 4096
	// idBytes is the memory budget per listed id.
	idBytes = 1024
)

// lookup reads the index of one collection for one condition.
type lookup struct {
	ctx  context.Context
	m    *view.Snapshot
	v    *view.View
	most int64    // entries to read per field at most
	used []string // fields read from the index
}

// newLookup returns a lookup with the budget that suits the collection.
func newLookup(ctx context.Context, m *view.Snapshot, v *view.View) *lookup {
	return &lookup{ctx: ctx, m: m, v: v, most: max(v.Documents/fieldsShare, fewDocuments)}
}

// name returns the name of the filter in plans.
func (l *lookup) name() string {
	slices.Sort(l.used)
	return "index of " + strings.Join(slices.Compact(l.used), ", ")
}

// SetsOf returns the sets with a document that may meet a condition, and the name of this
// filter. The result is nil if the collection does not index the fields or the condition is
// not selective enough.
func SetsOf(ctx context.Context, m *view.Snapshot, v *view.View, f *Fields) (*Sets, string, error) {
	if f == nil || len(v.Fields) == 0 && len(v.Kept.SI) == 0 {
		return nil, "", nil
	}
	l := newLookup(ctx, m, v)
	sets, err := l.sets(f)
	return sets, l.name(), err
}

// IDsOf returns the ids of documents that may meet a condition, ascending; ok is false where
// the index does not help. Of several conditions under All it returns the ids of the most
// selective.
func IDsOf(ctx context.Context, m *view.Snapshot, v *view.View, f *Fields) (ids []string, name string, ok bool, err error) {
	if err := f.check(); err != nil {
		return nil, "", false, err
	}
	if f == nil || len(v.Fields) == 0 && len(v.Kept.SI) == 0 {
		return nil, "", false, nil
	}
	l := newLookup(ctx, m, v)
	// The ids are held in memory.
	l.most = min(l.most, max(m.MemoryBytes/idBytes, 1))
	ids, ok, err = l.ids(f)
	slices.Sort(ids)
	return slices.Compact(ids), l.name(), ok, err
}

// evalFields evaluates a condition: it calls leaf for each field test and combines the
// results with and for All, with or for Any. ok is false where the index does not help.
func evalFields[T any](f *Fields, leaf func(*Fields) (T, bool, error), and, or func(a, b T) T) (out T, ok bool, err error) {
	parts, all := f.All, true
	if len(parts) == 0 {
		parts, all = f.Any, false
	}
	if len(parts) == 0 {
		return leaf(f)
	}
	for i := range parts {
		x, found, err := evalFields(&parts[i], leaf, and, or)
		switch {
		// Without an index for a part, Any can mean every set. Under All the other parts
		// still narrow the result.
		case err != nil || !found && !all:
			var none T
			return none, false, err
		case !found:
		case !ok:
			out, ok = x, true
		case all:
			out = and(out, x)
		default:
			out = or(out, x)
		}
	}
	return out, ok, nil
}

// sets evaluates a condition to sets; nil where the index does not help.
func (l *lookup) sets(f *Fields) (*Sets, error) {
	sets, _, err := evalFields(f, func(f *Fields) (*Sets, bool, error) {
		out := roaring.New()
		ok, err := l.each(f, func(set uint32, _ []byte) {
			if set != record.NoSet {
				out.Add(set)
			}
		})
		if !ok {
			out = nil
		}
		return out, ok, err
	}, func(a, b *Sets) *Sets {
		a.And(b)
		return a
	}, func(a, b *Sets) *Sets {
		a.Or(b)
		return a
	})
	return sets, err
}

// ids evaluates a condition to document ids. Under All it keeps the shortest list rather
// than an intersection: the caller tests every document anyway.
func (l *lookup) ids(f *Fields) ([]string, bool, error) {
	return evalFields(f, func(f *Fields) (out []string, ok bool, err error) {
		if f.SI {
			return l.idsBySI(f)
		}
		ok, err = l.each(f, func(_ uint32, id []byte) { out = append(out, string(id)) })
		return out, ok, err
	}, func(a, b []string) []string {
		if len(b) < len(a) {
			return b
		}
		return a
	}, func(a, b []string) []string { return append(a, b...) })
}

// each calls visit for every index entry in the range of one field test. It returns false if
// the field has no index or the range has too many entries.
func (l *lookup) each(f *Fields, visit func(set uint32, id []byte)) (ok bool, err error) {
	if f.SI {
		return l.eachSI(f, func(set uint32) { visit(set, nil) })
	}
	which := slices.IndexFunc(l.v.Fields, func(x record.Field) bool { return slices.Equal(x, f.Path) })
	if which < 0 || f.Low == nil && f.High == nil { // any value: not selective
		return false, nil
	}
	prefix := keys.Of(keys.Field, l.v.Number, uint32(which))
	low, high := fieldRange(f)
	return l.scan(l.v.Fields[which].String(), slices.Concat(prefix, low), slices.Concat(prefix, high), func(key []byte) error {
		set, id, err := record.FieldEntry(key)
		if err == nil {
			visit(set, id)
		}
		return err
	})
}

// scan calls visit for the keys from one to the prefix of another. It returns false if there
// are too many.
func (l *lookup) scan(name string, from, to []byte, visit func(key []byte) error) (ok bool, err error) {
	var n int64
	// A condition may have 100,000 tests, each of few entries.
	if err := l.m.Interrupted(l.ctx); err != nil {
		return false, err
	}
	err = disk.ScanTo(l.m.Pebble, from, keys.End(to), func(key, _ []byte) error {
		if n++; n > l.most {
			return disk.ErrEnough
		}
		if n%1024 == 0 {
			if err := l.m.Interrupted(l.ctx); err != nil {
				return err
			}
		}
		return visit(key)
	})
	if n > l.most {
		return false, err
	}
	l.used = append(l.used, name)
	return err == nil, err
}

// fieldRange returns the first key of the range and the prefix of the last.
func fieldRange(f *Fields) (low, high []byte) {
	low, high = record.FieldKey(widened(f.Low, -1)), record.FieldKey(widened(f.High, 1))
	if low == nil {
		// Keys begin with the type, so an open end covers all values of the type.
		low = high[:1]
	}
	if high == nil {
		high = low[:1]
	}
	return low, high
}

// widened moves a number outward by four units in the last place, so that rounding of an
// equal value in a document cannot lose it.
func widened(v any, by int) any {
	f, ok := v.(float64)
	if !ok {
		return v
	}
	for range 4 {
		f = math.Nextafter(f, math.Inf(by))
	}
	return f
}

// manyCandidates is a number of candidates that take longer to verify than the index takes
// to read.
const manyCandidates = 1000

// few reports whether an access path usually finds so few candidates that it ends before a
// read of the metadata index would.
func few(access api.Access) bool {
	switch access {
	case api.AccessPrefix, api.AccessPostings, api.AccessInterval, api.AccessRotated, api.AccessRange:
		return true
	}
	return false
}

// narrow restricts a finder by the metadata index, if that pays. For a selective access path
// the decision waits for the number of candidates.
func (f *Finder) narrow(ctx context.Context, access api.Access) error {
	if f.late = few(access) && f.q.Where != nil; f.late {
		return nil
	}
	return f.restrict(ctx)
}

// restrict reads the metadata index and restricts the search to the sets found.
func (f *Finder) restrict(ctx context.Context) error {
	sets, name, err := SetsOf(ctx, f.m, f.v, f.q.Where)
	if sets != nil {
		f.plan.Filter(name, true, f.v.Sets, int64(sets.GetCardinality()))
	}
	f.only, f.late = sets, false
	return err
}

// Only restricts a finder to some sets; nil removes the restriction.
func (f *Finder) Only(sets *Sets) { f.only = sets }

// kept filters ascending sets by the restriction. It reuses the slice.
func (f *Finder) kept(sets []uint32) []uint32 {
	if f.only == nil {
		return sets
	}
	return slices.DeleteFunc(sets, func(set uint32) bool { return !f.only.Contains(set) })
}

// live returns the live sets of the restriction with numbers ≥ from.
func (f *Finder) live(from uint32) []uint32 {
	if f.only == nil {
		return f.v.Live(from, f.v.Table.Len())
	}
	return f.v.LiveOf(f.only.ToArray(), from)
}

// scanOnly compares the probe with each set of the restriction.
func (f *Finder) scanOnly(ctx context.Context, from uint32) (hits []Hit, err error) {
	sets := f.live(from)
	f.again.buf = f.again.buf[:0]
	inWindow := 0
	for _, set := range sets {
		size := f.v.Table.Size(set)
		if !f.admits(size, min(f.probe.facts.Distinct, size.Distinct)) {
			continue
		}
		if inWindow++; f.admits(size, f.sharedBound(set, size)) {
			f.again.buf = append(f.again.buf, set)
		}
	}
	f.plan.Filter("length", true, int64(len(sets)), int64(inWindow))
	f.plan.Filter("parity signature", true, int64(inWindow), int64(len(f.again.buf)))
	return f.verifyAll(ctx, f.again.buf)
}

// eachSI calls visit for the sets whose similarity index is in the range. It returns false if
// the collection keeps no similarity index or the range has too many sets.
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

// idsBySI returns the ids of the documents in the sets of eachSI.
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
