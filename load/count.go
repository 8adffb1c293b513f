package load

// What an import has done: counted as its batches become durable, and once more
// when it ends early, so that the counts are those of what is stored.

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

// flight is what must be told about a batch once it is durable.
type flight struct {
	note     []byte
	batch    *simdb.Batch
	from     []ingest.Doc   // of each put, without its text
	puts     map[string]int // by collection
	rejects  []api.Reject
	warnings [][2]string
	skipped  int64
	existing int // ids in it that stood there before
	bytes    int64
}

// fly adds the note to a batch and sends it on its way.
func (r *importRun) fly(b *simdb.Batch, f flight) (err error) {
	if f.note, err = json.Marshal(r.note); err != nil {
		return err
	}
	b.Note(r.name, f.note)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.flying = append(r.flying, f)
	return nil
}

// land returns what the oldest batch on its way has to tell.
func (r *importRun) land() flight {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.flying[0]
	r.flying = r.flying[1:]
	return f
}

// acked counts a batch that is durable now, and passes on what was met in it.
func (r *importRun) acked(_ *simdb.Batch, done api.BatchStats) {
	f := r.land()
	r.files.stored()
	replaced := min(f.existing, done.Replaced)
	r.stats.Imported += int64(done.Inserted)
	r.gone += int64(done.Deleted)
	r.stats.Replaced += int64(replaced)
	r.stats.Superseded += int64(done.Superseded + done.Replaced - replaced)
	r.tell(f)
}

// settle counts the batches that were committed but not acknowledged when Load
// ended early. They are stored all the same, and who resumes goes on behind them.
// Which of their ids were new, the number of documents tells, provided that
// nobody else writes to the collection.
func (r *importRun) settle() {
	stored, err := r.db.Note(r.name)
	last := slices.IndexFunc(r.flying, func(f flight) bool { return bytes.Equal(f.note, stored) })
	if err != nil || last < 0 {
		return
	}
	var puts, existing int64
	for range last + 1 {
		f := r.land()
		stored := -len(f.batch.Dropped())
		for _, n := range f.puts {
			stored += n
		}
		puts += int64(stored)
		existing += int64(min(f.existing, stored))
		r.gone += int64(len(f.batch.Evicted()))
		r.tell(f)
	}
	inserted := min(max(r.documentsNow()+r.gone-r.had-r.stats.Imported, 0), puts-existing)
	r.stats.Imported += inserted
	r.stats.Replaced += existing
	r.stats.Superseded += puts - existing - inserted
}

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

// tell passes on what was met in a batch.
func (r *importRun) tell(f flight) {
	f.rejects = append(f.rejects, r.fall(f)...)
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

// passOn tells a caller of rejects and warnings, if he wants to know.
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

// noText counts what was met that holds no text.
func noText(rejects []api.Reject) (n int64) {
	for _, r := range rejects {
		if r.Kind != "" {
			n++
		}
	}
	return n
}
