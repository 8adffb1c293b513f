package engine

// A repair makes anew what hangs on the records of documents: the index of metadata, what
// says that they joined a set, and the counters.

import (
	"bytes"
	"encoding/binary"
	"errors"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"

	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/keys"
)

// storedRecord is the record of a document as it is stored.
type storedRecord struct{ key, sealed []byte }

// records goes through all records of a collection. Its sets are made.
func (r *rederiver) records(c *collection) error {
	prefix := c.Key(keys.Document)
	var window []storedRecord
	size := 0
	return r.scan(prefix, func(key, sealed []byte) (bool, error) {
		window = append(window, storedRecord{bytes.Clone(key), bytes.Clone(sealed)})
		size += len(key) + len(sealed)
		return int64(size) > min(againBytes, r.db.shared.AnalysisRoom()/view.AnalysisBytes), nil
	}, func() error {
		for _, s := range window {
			if err := r.record(c, string(s.key[len(prefix):]), s); err != nil {
				return err
			}
		}
		window, size = nil, 0
		return nil
	})
}

func (r *rederiver) record(c *collection, id string, s storedRecord) error {
	r.mark.Counters.Documents++
	value, err := disk.Unseal(s.key, s.sealed)
	if err != nil {
		return nil // its text has told
	}
	d, err := record.DecodeDocumentRecord(value)
	if err != nil {
		return nil
	}
	r.mark.Counters.TextBytes += d.TextBytes
	has, err := disk.Has(r.batch, keys.WithID(c.Key(keys.Text, d.Set), id))
	if err != nil {
		return err
	}
	if !has {
		r.lost(c, id, "the text of a document: it is missing")
		if err := r.update(c, id, &d, record.NoSet, false); err != nil {
			return err
		}
	}
	if d.Joined {
		key := keys.WithID(keys.OfJoined(c.Number, d.Written.Record), id)
		if err := r.store(key, binary.BigEndian.AppendUint32(nil, d.Set)); err != nil {
			return err
		}
	}
	values, err := c.FieldValues(d.Meta)
	if errors.Is(err, api.ErrCorrupt) {
		r.lost(c, id, "the metadata of a document: "+err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	for _, v := range values {
		if err := r.store(c.FieldKey(v, d.Set, id), nil); err != nil {
			return err
		}
	}
	return nil
}
