package view

// Reading of texts with another k than the collection's, for one query (docs/decisions/0059).
// These bags are neither stored nor cached.

import (
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/internal/shingle"
)

// EachBagAt calls yield for each document of a set, in ascending order of ids, with its id and its
// bag of shingles of k tokens. Documents with equal bags may have different texts, and so
// different bags with another k. In a collection with features the texts of a set are equal: then
// yield receives one bag, with the id "".
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

// bagHere derives the bag of the current document. last and bag are the previous content and its
// bag: many documents of a set are copies, so it usually returns bag again.
func (r *Reader) bagHere(k int, last string, bag shingle.Bag) (shingle.Bag, string, error) {
	content, err := r.contentHere()
	if err != nil || content == last && len(bag.Set) > 0 {
		return bag, content, err
	}
	bag, err = Apart(r.ctx, r.Snapshot.Shared, int64(len(content)), func() (shingle.Bag, error) { return r.View.BagAt(content, k), nil })
	return bag, content, err
}
