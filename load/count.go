package load

// Statistics of an import. A batch counts once it is durable. An import that ends early also counts
// the batches that were committed but not acknowledged, so that the counts match the store.

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/ingest"
)

// batchReport holds the report of a batch until the batch is durable.
type batchReport struct {
	note     []byte
	batch    *simdb.Batch
	from     []ingest.Doc   // the document of each put, without its text
	puts     map[string]int // by collection
	rejects  []api.Reject
	warnings [][2]string
	skipped  int64
	existing int // number of its ids that were stored before the import
	bytes    int64
}

// enqueue adds the note to a batch and appends its report to the queue.
func (r *importRun) enqueue(b *simdb.Batch, f batchReport) (err error) {
	if f.note, err = json.Marshal(r.note); err != nil {
		return err
	}
	b.Note(r.name, f.note)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.inFlight = append(r.inFlight, f)
	return nil
}

// dequeue removes the report of the oldest batch in the queue.
func (r *importRun) dequeue() batchReport {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.inFlight[0]
	r.inFlight = r.inFlight[1:]
	return f
}

// acked counts a batch that has become durable and reports its rejects and warnings.
func (r *importRun) acked(_ *simdb.Batch, done api.BatchStats) {
	f := r.dequeue()
	r.files.stored()
	replaced := min(f.existing, done.Replaced)
	r.stats.Imported += int64(done.Inserted)
	r.gone += int64(done.Deleted)
	r.stats.Replaced += int64(replaced)
	r.stats.Superseded += int64(done.Superseded + done.Replaced - replaced)
	r.report(f)
}

// countCommitted counts the batches that were committed but not acknowledged when Load ended early. They
// are stored, and a resumed import continues after them. The number of documents shows how many of
// their ids were new, provided that nothing else writes to the database.
func (r *importRun) countCommitted() {
	stored, err := r.db.Note(r.name)
	last := slices.IndexFunc(r.inFlight, func(f batchReport) bool { return bytes.Equal(f.note, stored) })
	if err != nil || last < 0 {
		return
	}
	var puts, existing int64
	for range last + 1 {
		f := r.dequeue()
		stored := -len(f.batch.Dropped())
		for _, n := range f.puts {
			stored += n
		}
		puts += int64(stored)
		existing += int64(min(f.existing, stored))
		r.gone += int64(len(f.batch.Evicted()))
		r.report(f)
	}
	inserted := min(max(r.documentsNow()+r.gone-r.had-r.stats.Imported, 0), puts-existing)
	r.stats.Imported += inserted
	r.stats.Replaced += existing
	r.stats.Superseded += puts - existing - inserted
}

// documentsNow returns the number of documents in the database, 0 on errors.
func (r *importRun) documentsNow() int64 {
	collections, err := r.db.Collections(context.Background()) // the import's own context may have ended
	if err != nil {
		return 0
	}
	return documentsIn(collections)
}

// documentsIn counts the documents of collections.
func documentsIn(collections []api.CollectionInfo) (n int64) {
	for _, c := range collections {
		n += c.Documents
	}
	return n
}

// report adds the counts of a batch to the statistics and calls the callbacks.
func (r *importRun) report(f batchReport) {
	f.rejects = append(f.rejects, r.countDropped(f)...)
	r.stats.Skipped += f.skipped
	r.stats.Rejected += int64(len(f.rejects))
	r.stats.NoText += noText(f.rejects)
	for _, reject := range f.rejects {
		r.stats.Lines += reject.Lines
		if reject.Rest {
			r.stats.Rests++
		}
	}
	r.stats.Warnings += int64(len(f.warnings))
	r.stats.TextBytes += f.bytes
	if r.o.OnStored != nil {
		for _, name := range slices.Sorted(maps.Keys(f.puts)) {
			r.o.OnStored(name, f.puts[name])
		}
	}
	passOn(f.rejects, r.o.OnReject, f.warnings, r.o.OnWarning)
}

// passOn calls the callbacks, if set, for rejects and warnings.
func passOn(rejects []api.Reject, onReject func(api.Reject), warnings [][2]string, onWarning func(id, why string)) {
	for _, r := range rejects {
		if onReject != nil {
			onReject(r)
		}
	}
	for _, w := range warnings {
		if onWarning != nil {
			onWarning(w[0], w[1])
		}
	}
}

// noText counts the rejects that contain no text, such as pictures.
func noText(rejects []api.Reject) (n int64) {
	for _, r := range rejects {
		if r.Kind != "" {
			n++
		}
	}
	return n
}
