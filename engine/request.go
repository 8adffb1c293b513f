package engine

// The requests of a batch, and which of them count: the last one on each document, together
// with the metadata changes that follow it.

import (
	"fmt"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/condition"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
)

// request is one operation of a Batch. A commit derives operations from requests and leaves
// the batch unchanged, so that it can prepare the batch again, and the batch keeps no
// analyses alive.
type request struct {
	kind       record.OpKind // put, delete, erase, meta or note
	collection string
	name       string          // id of the document, or name of the note
	doc        api.Document    // of a put; for a metadata change only its metadata
	value      []byte          // note
	wants      condition.Wants // put
	mustExist  bool            // meta: refuse the batch if the document does not exist
}

// ofDocument reports whether the request is on a document. In a batch, the last one on a
// document counts.
func (r *request) ofDocument() bool { return r.kind != record.OpNote }

func (r *request) deletes() bool { return r.kind == record.OpDelete || r.kind == record.OpErase }

// counted is a request that counts.
type counted struct {
	*request
	c     *collection // nil if the collection does not exist
	place int         // in the caller's batch
	meta  []byte      // encoded metadata
}

// screen returns the requests that count, the number of superseded ones, and the
// approximate size of the log record without texts. It refuses requests that no collection
// could take, and overwrites all. A conditional batch keeps all requests, because only the
// conditions decide which of them count.
func screen(all []counted, maxText int64, conditional bool) (kept []counted, superseded, size int, err error) {
	last, err := lastOnes(all)
	if err != nil {
		return nil, 0, 0, err
	}
	kept = all[:0]
	for i, r := range all {
		if !conditional && r.ofDocument() && last != nil && last[r.key()] != i {
			superseded++
			continue
		}
		if r.meta, err = r.check(maxText); err != nil {
			return nil, 0, 0, err
		}
		size += len(r.name) + len(r.meta) + len(r.value) + 32
		kept = append(kept, r)
	}
	return kept, superseded, size, nil
}

// key identifies the document of a request.
func (r *request) key() [2]string { return [2]string{r.collection, r.name} }

// lastOnes returns the index of the last request on each document; nil for a single
// request. It refuses a change after an erasure of the same document: Compact removes the
// document's data from all records up to that of the erasure, so the change would be lost.
func lastOnes(all []counted) (map[[2]string]int, error) {
	if len(all) < 2 {
		return nil, nil
	}
	last := make(map[[2]string]int, len(all))
	for i, r := range all {
		if !r.ofDocument() {
			continue
		}
		before, again := last[r.key()]
		if again && all[before].kind == record.OpErase && r.kind != record.OpErase {
			return nil, fault.Invalid("document %q is erased and then changed in one batch; use two batches", r.name)
		}
		last[r.key()] = i
	}
	return last, nil
}

// check refuses a request that no collection could take, and encodes its metadata.
func (r *request) check(maxText int64) (meta []byte, err error) {
	if !r.ofDocument() {
		return nil, nil
	}
	if err := record.CheckID(r.name); err != nil {
		return nil, err
	}
	if r.wants.Unless != nil {
		if err := r.wants.Unless.CanGuard(); err != nil {
			return nil, err
		}
	}
	if r.deletes() {
		return nil, nil
	}
	if r.kind == record.OpPut && int64(len(r.doc.Text)) > maxText {
		return nil, tooLong(r.name, len(r.doc.Text), maxText)
	}
	if meta, err = record.EncodeMeta(r.doc.Meta); err != nil {
		return nil, fmt.Errorf("document %q: %w", r.name, err)
	}
	return meta, nil
}

// tooLong returns an ErrTooLarge with the length and the limit.
func tooLong(id string, bytes int, limit int64) error {
	return fmt.Errorf("%w: document %q has %d bytes of text, the limit is %d", api.ErrTooLarge, id, bytes, limit)
}

// mergeMeta lists the requests of a batch, and merges metadata changes into the preceding
// request on the same document. The batch itself is unchanged. It refuses a metadata change
// after a conditional put, because the change would be lost with a dropped put.
func (b *Batch) mergeMeta() ([]counted, error) {
	out := make([]counted, 0, len(b.ops))
	var last map[[2]string]int // index in out that a change may join
	if b.metas > 0 {
		last = map[[2]string]int{}
	}
	for i := range b.ops {
		r := &b.ops[i]
		if at, before := last[r.key()]; before && r.kind == record.OpMeta {
			if out[at].deletes() {
				continue
			}
			to := *out[at].request
			if to.wants.Unless != nil {
				return nil, fault.Invalid("document %q is put on a condition and its metadata changed in one batch; use two batches", r.name)
			}
			to.mustExist = to.mustExist || r.mustExist
			to.doc.Meta = record.Changed(to.doc.Meta, r.doc.Meta, to.kind == record.OpMeta)
			out[at].request = &to
			continue
		}
		if last != nil && r.ofDocument() {
			last[r.key()] = len(out)
		}
		out = append(out, counted{request: r, place: i})
	}
	return out, nil
}
