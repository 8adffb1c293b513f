// Package condition decides which operations of a batch take effect. A put may require that
// its id is new, or that nothing similar is stored (docs/decisions/0032). The input is a
// batch and a snapshot; the output lists the operations in effect and the conflicts that
// kept out the rest.
//
// The package stores nothing and takes no locks. The commit decides once outside of the
// commit mutex, then updates the decision under it. Start with [Batch] and [Outcome].
package condition

import (
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/search"
)

// Wants holds the conditions of a put.
type Wants struct {
	New      bool           // the batch fails if the id exists
	Unless   *search.Search // condition of no similar document; nil: the collection's unique_sim applies
	Replace  bool           // with Unless: the put replaces similar documents
	IfLonger bool           // with Replace: only if its text has more bytes than each of theirs
}

// Watch requests the sets similar to a put, on behalf of a grouping. It keeps nothing out.
type Watch struct {
	Grouping uint32
	Method   api.Method
	Min      api.Threshold
}

// Alike is the result of a Watch.
type Alike struct {
	Watch
	Stored  []uint32 // sets
	Earlier []int    // places of earlier puts in the batch
}

// Asked reports whether a put into a collection has conditions. A nil schema stands for a
// new collection.
func (w Wants) Asked(s *record.Schema) bool {
	return w.New || w.Unless != nil || s != nil && s.Unique != api.Threshold{}
}

// Op is an operation of a batch.
type Op struct {
	*record.Operation
	Place     int            // in the caller's batch
	Schema    *record.Schema // of its collection; nil if it is on no document
	Wants     Wants
	Derived   *record.Derived // of a put
	TextBytes int64
	Watches   []Watch  // of a put
	Hash      [32]byte // of a put's text, if the collection has a ledger
}

// Batch is a sequence of operations with conditions. It must be used from one goroutine.
type Batch struct {
	ops    []operation
	hashes map[ref]hashed // of stored texts that puts may replace
}

// operation is an Op with its conditions.
type operation struct {
	Op
	conditions []condition
	met        int // the last put that was compared with this one, by place
}

// Add appends an operation. It fails if the collection cannot check its conditions.
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

// condition keeps a put from taking effect while a document with another id is similar to
// its text.
type condition struct {
	search.Search
	refuses  bool   // refuses the whole batch rather than the put
	watches  bool   // it keeps nothing out
	grouping uint32 // the grouping of a watch
	setting  bool   // comes from unique_sim of the collection

	// stored holds the conflicting sets: all sets below asOf that conflicted when the search
	// ran. A set number is never reused, so the conflicts of a later snapshot are among these
	// and the sets from asOf on. The documents of a set may change, so each decision reads
	// their ids again.
	stored  []search.Hit // best first
	asOf    uint32
	earlier []search.Hit // conflicting puts of the batch, by place, best first
}

// defaultUnless is the threshold of a condition that names none.
var defaultUnless = api.Ratio(4, 5)

// conditionsOf returns the conditions of a put: its own and the constraint of the collection,
// unique_sim. If both are thresholds of resemblance, only the lower one remains, because it is
// stricter. If the put names no threshold, only the constraint remains.
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

// ref identifies a document across collections.
type ref struct {
	collection uint32
	id         string
}

// ref returns the document of an operation on a document.
func (o *operation) ref() ref { return ref{o.Schema.Number, o.Name} }

// compared reports whether the put has a text to compare.
func (o *operation) compared() bool { return o.Derived != nil }

// probe returns the text of a put as the target of a search.
func (o *operation) probe() search.Probe {
	return search.ProbeOf(o.Derived.Bag, o.Derived.Set.Facts)
}
