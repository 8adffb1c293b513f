package view

// Reading texts with shingles of another length than the collection's, for one question
// (docs/decisions/0059). Such bags are not stored, and not worth a place in a cache.

import (
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/internal/shingle"
)

// EachBagAt hands over the bags of the documents of a set, read with shingles of k tokens,
// and their ids, ascending. Documents with equal bags need not have equal texts, and their
// bags by another k may differ. Where the collection keeps anything of texts they do have
// equal texts: then there is one bag, and the id is "".
func (r *Reader) EachBagAt(set uint32, k int, yield func(id string, bag shingle.Bag)) error {
	defer r.Free()
	ok, err := r.seek(set)
	switch {
	case err != nil:
		return err
	case !ok:
		return fault.Corrupt("set %d has no document", set)
	case r.View.Kept.Texts():
		bag, _, err := r.bagHere(k, "", shingle.Bag{})
		if err == nil {
			yield("", bag)
		}
		return err
	}
	var bag shingle.Bag
	content := ""
	for r.at = false; ok; ok = r.texts.Next() {
		id := string(r.texts.Key()[len(r.key):])
		if bag, content, err = r.bagHere(k, content, bag); err != nil {
			return err
		}
		yield(id, bag)
	}
	return disk.PebbleError(r.texts.Error())
}

// bagHere reads the document that the reader stands at. last is what was read before, and
// its bag: many documents of a set are copies.
func (r *Reader) bagHere(k int, last string, bag shingle.Bag) (shingle.Bag, string, error) {
	content, err := r.contentHere()
	if err != nil || content == last && len(bag.Set) > 0 {
		return bag, content, err
	}
	bag, err = Apart(r.ctx, r.Snapshot.Shared, int64(len(content)), func() (shingle.Bag, error) { return r.View.BagAt(content, k), nil })
	return bag, content, err
}
