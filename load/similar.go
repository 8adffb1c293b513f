package load

// Imports that leave near duplicates out, and imports into collections that have
// unique_sim.

import (
	"fmt"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// put adds a document to a batch, on the conditions of the import.
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

// fall says of a durable batch which texts fell to similar ones. Those that only the
// constraint of the collection kept out are rejects.
func (r *importRun) fall(f flight) (rejects []api.Reject) {
	dropped, evicted := f.batch.Dropped(), f.batch.Evicted()
	for len(dropped)+len(evicted) > 0 {
		if len(dropped) == 0 || len(evicted) > 0 && evicted[0].Op < dropped[0].Op {
			r.fell(evicted[0])
			evicted = evicted[1:]
			continue
		}
		d := dropped[0]
		dropped = dropped[1:]
		f.puts[d.Match.Collection]--
		if r.o.UnlessSimilar != (api.Threshold{}) && r.o.UnlessSimilar.Admits(d.Match.Ratio()) {
			r.fell(d)
			continue
		}
		rejects = append(rejects, rejected(f.from[d.Op], constrainedBy(d.Match)))
	}
	return rejects
}

// constrainedBy is why a text that is similar to another is rejected.
func constrainedBy(m api.Match) string {
	return fmt.Sprintf("similar to %q: sim %.6g (shared %d, union %d), and the collection has unique_sim", m.ID, m.Sim, m.Shared, m.Union)
}

func (r *importRun) fell(d api.Dropped) {
	r.stats.Similar++
	if r.o.OnSimilar != nil {
		r.o.OnSimilar(api.Fallen{Collection: d.Match.Collection, ID: d.ID, Like: d.Match.ID, Sim: d.Match.Sim, Shared: d.Match.Shared, Union: d.Match.Union})
	}
}
