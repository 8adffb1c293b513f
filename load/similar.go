package load

// Imports that leave out near duplicates, and imports into collections with unique_sim.

import (
	"fmt"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// put adds a document to a batch, under the conditions of the import.
func (r *importRun) put(b *simdb.Batch, d api.Document) {
	switch t := r.o.UnlessSimilar; {
	case t == (api.Threshold{}) && !r.into[d.Collection].constrained:
		b.Put(d)
	case t == (api.Threshold{}):
		b.PutUnlessSimilar(d)
	case r.o.Keep == api.KeepFirst:
		b.PutUnlessSimilar(d, simdb.Min(t))
	default:
		b.PutReplacingSimilar(d, r.o.Keep == api.KeepLongest, simdb.Min(t))
	}
}

// countDropped counts the texts that a durable batch dropped because of similar texts. It returns a
// reject for each text that only the constraint of the collection refused.
func (r *importRun) countDropped(f batchReport) (rejects []api.Reject) {
	dropped, evicted := f.batch.Dropped(), f.batch.Evicted()
	for len(dropped)+len(evicted) > 0 {
		if len(dropped) == 0 || len(evicted) > 0 && evicted[0].Op < dropped[0].Op {
			r.countSimilar(evicted[0])
			evicted = evicted[1:]
			continue
		}
		d := dropped[0]
		dropped = dropped[1:]
		f.puts[d.Match.Collection]--
		if r.o.UnlessSimilar != (api.Threshold{}) && r.o.UnlessSimilar.Admits(d.Match.Ratio()) {
			r.countSimilar(d)
			continue
		}
		rejects = append(rejects, rejected(f.from[d.Op], constrainedBy(d.Match)))
	}
	return rejects
}

// constrainedBy returns the reject reason of a text that unique_sim refused.
func constrainedBy(m api.Match) string {
	return fmt.Sprintf("similar to %q: sim %.6g (shared %d, union %d), and the collection has unique_sim", m.ID, m.Sim, m.Shared, m.Union)
}

// countSimilar counts and reports a text dropped because of a similar text.
func (r *importRun) countSimilar(d api.Dropped) {
	r.stats.Similar++
	if r.o.OnSimilar != nil {
		r.o.OnSimilar(api.Fallen{Collection: d.Match.Collection, ID: d.ID, Like: d.Match.ID, Sim: d.Match.Sim, Shared: d.Match.Shared, Union: d.Match.Union})
	}
}
