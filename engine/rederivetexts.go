package engine

// A repair makes the sets anew from the texts, in the order in which these are stored. A
// document keeps the number of its set where it can, as marks of callers depend on it.

import (
	"bytes"
	"encoding/binary"
	"errors"

	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/host"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/keys"
)

// storedText is a text on its way to its set.
type storedText struct {
	set    uint32 // that it lies under
	id     string
	sealed []byte
	record *record.DocumentRecord // nil: there is none that can be read
	bytes  int64
	*record.Derived
	damaged error // why it cannot be read
}

func (t *storedText) key(c *collection) []byte { return keys.WithID(c.Key(keys.Text, t.set), t.id) }

// texts makes all sets of a collection.
func (r *rederiver) texts(c *collection) error {
	s := r.db.shared
	var window []*storedText // derived side by side: as many as memory has room for
	stored, texts := 0, int64(0)
	return r.scan(c.Key(keys.Text), func(key, sealed []byte) (bool, error) {
		n, id, err := keys.Numbers(key, 2)
		if err != nil {
			return false, fault.Corrupt("%w", err)
		}
		window = append(window, &storedText{set: n[1], id: string(id), sealed: bytes.Clone(sealed)})
		stored, texts = stored+len(sealed), texts+s.Codec.TextBytes(sealed)*view.AnalysisBytes
		return stored > replayWindow || texts > s.AnalysisRoom(), nil
	}, func() error {
		var g errgroup.Group
		g.SetLimit(host.Workers())
		for _, t := range window {
			g.Go(func() error { return r.analyse(c, t) })
		}
		if err := g.Wait(); err != nil {
			return err
		}
		for _, t := range window {
			if err := r.place(c, t); err != nil {
				return err
			}
		}
		window, stored, texts = nil, 0, 0
		return nil
	})
}

// analyse reads a text and derives what is stored of it. That it cannot be read is no
// error.
func (r *rederiver) analyse(c *collection, t *storedText) error {
	text, err := disk.Unseal(t.key(c), t.sealed)
	if err == nil {
		t.bytes, t.Derived, err = r.db.deriveAgain(c, text)
	}
	if errors.Is(err, api.ErrCorrupt) {
		t.damaged, err = err, nil
	}
	return err
}

// readRecord reads the record of a text's document as it is by now.
func (r *rederiver) readRecord(c *collection, t *storedText) error {
	var err error
	if t.record, err = view.ReadRecord(r.batch, c.Schema, t.id); errors.Is(err, api.ErrCorrupt) {
		return nil
	}
	return err
}

// place puts a text where it belongs.
func (r *rederiver) place(c *collection, t *storedText) error {
	if err := r.readRecord(c, t); err != nil {
		return err
	}
	if t.record == nil {
		r.lost(c, t.id, "the record of a document, with its metadata; its text is there")
	} else if t.record.Set != t.set {
		if its, err := r.isElsewhere(c, t); err != nil || its == textElsewhere {
			return errors.Join(err, r.removeIf(its == textElsewhere, t.key(c)))
		} else if its == textUnknown {
			r.lost(c, t.id, "which of several texts is that of a document")
			return nil
		}
	}
	if t.damaged != nil {
		return r.setAside(c, t)
	}
	digest := keys.OfDigest(c.Number, t.Set.Digest)
	v, err := disk.Get(r.batch, digest)
	if err != nil {
		return err
	}
	if v != nil {
		set := binary.BigEndian.Uint32(v)
		if set == t.set && set >= r.mark.End { // the repair has put it there
			return nil
		}
		if err := r.count(c, set); err != nil {
			return err
		}
		return r.move(c, t, set, true)
	}
	set, err := r.numberFor(c, t)
	if err != nil {
		return err
	}
	r.mark.Counters.Sets++
	if err := writeSet(r.batch, r.of, c.Schema, set, t.Derived); err != nil {
		return err
	}
	return r.move(c, t, set, false)
}

// What is known of a text that lies under another set than the record of its document
// says.
type whereabouts int

const (
	textHere      whereabouts = iota // where the record says there is none, and this one fits it
	textElsewhere                    // it is where the record says
	textUnknown                      // neither fits
)

func (r *rederiver) isElsewhere(c *collection, t *storedText) (whereabouts, error) {
	key := keys.WithID(c.Key(keys.Text, t.record.Set), t.id)
	its, err := disk.GetSealed(r.batch, key)
	switch {
	case err == nil && its != nil:
		return textElsewhere, nil
	case err != nil && !errors.Is(err, api.ErrCorrupt):
		return 0, err
	case t.damaged == nil && t.bytes == t.record.TextBytes:
		return textHere, r.removeIf(err != nil, key)
	}
	return textUnknown, nil
}

func (r *rederiver) removeIf(yes bool, key []byte) error {
	if !yes {
		return nil
	}
	return r.batch.Delete(key, nil)
}

// setAside puts a text that cannot be read where texts without a set lie, as it is. So its
// document can be deleted and replaced, and check names it.
func (r *rederiver) setAside(c *collection, t *storedText) error {
	if t.record == nil || t.set == record.NoSet { // where it is met again
		r.lost(c, t.id, "the text of a document: "+t.damaged.Error())
		return nil
	}
	if err := errors.Join(r.batch.Delete(t.key(c), nil), r.store(keys.WithID(c.Key(keys.Text, record.NoSet), t.id), t.sealed)); err != nil {
		return err
	}
	return r.update(c, t.id, t.record, record.NoSet, false)
}

// numberFor is the number of a new set: that which the text lies under, unless another
// set has it.
func (r *rederiver) numberFor(c *collection, t *storedText) (uint32, error) {
	if t.set < r.mark.End {
		taken, err := disk.Has(r.batch, c.Key(keys.Set, t.set))
		if err != nil || !taken {
			return t.set, err
		}
	} else if t.set != record.NoSet {
		r.guessed(c)
	}
	n := &r.mark.Counters.Next
	if *n == record.NoSet {
		return 0, fault.Corrupt("collection %q has used up its set numbers; export and import it anew", c.Name)
	}
	*n++
	return *n - 1, nil
}

// guessed notes that the next set number was too small.
func (r *rederiver) guessed(c *collection) {
	if g := r.mark.Guessed; len(g) == 0 || g[len(g)-1] != c.Number {
		r.mark.Guessed = append(g, c.Number)
	}
}

// count counts one more document of a set.
func (r *rederiver) count(c *collection, set uint32) error {
	key := c.Key(keys.Shares, set)
	v, err := disk.Get(r.batch, key)
	if err != nil {
		return err
	}
	n := uint32(1)
	if v != nil {
		n = binary.BigEndian.Uint32(v)
	}
	return r.store(key, binary.BigEndian.AppendUint32(nil, n+1))
}

// move puts a text under its set, and says so in the record of its document.
func (r *rederiver) move(c *collection, t *storedText, set uint32, joined bool) error {
	if set != t.set {
		text, err := disk.Unseal(t.key(c), t.sealed)
		if err != nil {
			return err
		}
		if err := errors.Join(r.batch.Delete(t.key(c), nil), disk.SetSealed(r.batch, keys.WithID(c.Key(keys.Text, set), t.id), text)); err != nil {
			return err
		}
	}
	if t.record == nil {
		return nil
	}
	return r.update(c, t.id, t.record, set, joined)
}

// update changes the set in the record of a document. A document that comes into the set
// of another one joins it.
func (r *rederiver) update(c *collection, id string, d *record.DocumentRecord, set uint32, joined bool) error {
	if d.Set == set && (set != record.NoSet || !d.Joined) {
		return nil
	}
	d.Joined = set != record.NoSet && (d.Joined || joined)
	d.Set = set
	return disk.SetSealed(r.batch, keys.WithID(c.Key(keys.Document), id), d.Encode())
}
