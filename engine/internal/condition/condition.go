// Package condition says which operations of a batch take effect: a put may ask that its
// id is new, or that nothing similar is stored (docs/decisions/0032). A batch and a snapshot
// of the store come in; what takes effect goes out, and what kept the rest from it. The
// package stores nothing, and knows no locks and no log: the commit decides once outside
// of the commit mutex, and brings the decision up to date under it.
package condition

import (
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/search"
)

// Wants is what a put asks for.
type Wants struct {
	New      bool           // its id is not there, or the batch is refused
	Unless   *search.Search // nothing similar is there; nil: as the collection says
	Replace  bool           // with Unless: it takes the place of what is similar
	IfLonger bool           // with Replace: only if its text has more bytes than each of theirs
}

// Watch asks which sets are similar to that of a put, for a grouping: it keeps nothing out.
type Watch struct {
	Grouping uint32
	Method   api.Method
	Min      api.Threshold
}

// Alike is what a watch found.
type Alike struct {
	Watch
	Stored  []uint32 // sets
	Earlier []int    // puts of the batch, by place in that
}

// Asked says whether a put into a collection has conditions; nil is a new collection.
func (w Wants) Asked(s *record.Schema) bool {
	return w.New || w.Unless != nil || s != nil && s.Unique != api.Threshold{}
}

// Op is an operation of a batch.
type Op struct {
	*record.Operation
	Place     int            // in the batch as the caller made it
	Schema    *record.Schema // of its collection; nil if it is on no document
	Wants     Wants
	Derived   *record.Derived // of a put
	TextBytes int64
	Watches   []Watch  // of a put
	Hash      [32]byte // of a put's text, if the collection has a ledger
}

// Batch is operations with conditions, in order.
type Batch struct {
	ops    []operation
	hashes map[ref]hashed // of stored texts that puts may take the place of
}

type operation struct {
	Op
	conditions []condition
	met        int // the last place of those that were compared with this put
}

// Add takes the next operation.
func (b *Batch) Add(o Op) error {
	conditions, err := conditionsOf(&o)
	if o.Kind == record.OpPut {
		for _, w := range o.Watches {
			conditions = append(conditions, condition{Search: search.Search{Measure: w.Method.Measure, Args: w.Method.Args, Min: w.Min}, watches: true, grouping: w.Grouping})
		}
	}
	b.ops = append(b.ops, operation{Op: o, conditions: conditions})
	return err
}

// condition keeps a put from taking effect while a document of another id is similar to
// its text.
type condition struct {
	search.Search
	refuses  bool   // the whole batch, not only the put
	watches  bool   // it keeps nothing out
	grouping uint32 // that it watches for
	setting  bool   // it is the unique_sim of the collection

	// stored are the sets that conflict: all of those numbered below asOf that were live
	// when they were looked for. A set is never born again, so the conflicts of a later
	// snapshot are among them and the sets from asOf up. Which documents they have is asked
	// anew in each snapshot.
	stored  []search.Hit // best first
	asOf    uint32
	earlier []search.Hit // puts of the batch that conflict, by place, best first
}

// defaultUnless is the threshold of a condition that names none.
var defaultUnless = api.Ratio(4, 5)

// conditionsOf returns the conditions of a put. By resemblance what is asked for and the
// constraint of the collection are one.
func conditionsOf(o *Op) ([]condition, error) {
	if o.Kind != record.OpPut {
		return nil, nil
	}
	var none api.Threshold
	unless := o.Wants.Unless
	constraint := condition{Search: search.Search{Min: o.Schema.Unique}, refuses: unless == nil, setting: true}
	constrained := o.Schema.Unique != none
	switch {
	case unless == nil && !constrained:
		return nil, nil
	case unless == nil:
		return []condition{constraint}, nil
	}
	if err := search.RefuseOtherK(o.Schema, "unless similar", unless.Method()); err != nil {
		return nil, err
	}
	asked, byDefault := condition{Search: *unless}, unless.Min == none
	if byDefault {
		asked.Min = defaultUnless
	}
	switch {
	case !constrained:
		return []condition{asked}, nil
	case asked.Measure != api.Jaccard:
		return []condition{asked, constraint}, nil
	case byDefault || constraint.Min.Cmp(asked.Min) < 0:
		return []condition{constraint}, nil
	}
	return []condition{asked}, nil
}

// ref is a document by its collection's number.
type ref struct {
	collection uint32
	id         string
}

func (o *operation) ref() ref { return ref{o.Schema.Number, o.Name} }

// compared says whether a text has anything to compare.
func (o *operation) compared() bool { return o.Derived != nil }

func (o *operation) probe() search.Probe {
	return search.ProbeOf(o.Derived.Bag, o.Derived.Set.Facts)
}
