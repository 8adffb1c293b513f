package condition

// Rows for the ledger of a collection: one for each put that a similar document kept out,
// and one for each document that a put replaced.

import (
	"errors"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/record"
)

// Fall is a row of the ledger. The commit adds the time and the log record.
type Fall struct {
	Op  int // the place among the operations; it determines the collection
	Row api.LedgerRow
}

// hashed is the hash of a stored text, valid for one write of the document.
type hashed struct {
	written record.Written
	hash    [32]byte
}

// errTextNeeded ends a decision that requires a text but must not read files.
var errTextNeeded = errors.New("a text has to be read")

// rowOf returns the row of a document that condition c keeps out or removes.
func (c *condition) rowOf(o *operation, id string, hash [32]byte, keeper api.Match, by api.FellBy) api.LedgerRow {
	return api.LedgerRow{Collection: o.Schema.Name, ID: id, Hash: hash, Keeper: keeper, Method: c.Method(), Min: c.Min, By: by}
}

// fell adds the row of a put that match m keeps out, if the collection has a ledger.
func (d *decision) fell(rows []Fall, place int, c *condition, m api.Match) []Fall {
	o := &d.ops[place]
	if !o.Schema.Settings.Ledger {
		return rows
	}
	by := api.FellUnless
	if c.setting {
		by = api.FellUnique
	}
	return append(rows, Fall{Op: place, Row: c.rowOf(o, o.Name, o.Hash, m, by)})
}

// evicted returns the rows of documents that the put at a place replaces. Call it before the
// replacement takes effect. by maps each id to the condition it breaks.
func (d *decision) evicted(place int, out []api.Dropped, by map[string]*condition) (rows []Fall, err error) {
	o := &d.ops[place]
	if !o.Schema.Settings.Ledger {
		return nil, nil
	}
	for _, gone := range out {
		hash := [32]byte{}
		if last, put := d.last[ref{o.Schema.Number, gone.ID}]; put {
			hash = d.ops[last].Hash
		} else if hash, err = d.hashOf(o, gone.ID); err != nil {
			return nil, err
		}
		rows = append(rows, Fall{Op: place, Row: by[gone.ID].rowOf(o, gone.ID, hash, gone.Match, api.FellReplaced)})
	}
	return rows, nil
}

// hashOf returns the hash of a stored document's text. A decision that must not read texts
// uses the hash from an earlier read of the same write, or ends with errTextNeeded.
func (d *decision) hashOf(o *operation, id string) (none [32]byte, err error) {
	r, err := d.recordOf(o, id)
	if err != nil {
		return none, err
	}
	key := ref{o.Schema.Number, id}
	if have, ok := d.hashes[key]; ok && have.written == r.Written {
		return have.hash, nil
	}
	if d.again {
		return none, errTextNeeded
	}
	content, err := d.m.Content(d.m.ViewOf(o.Schema.Number), r.Set, id)
	if err != nil {
		return none, err
	}
	hash, err := o.Schema.TextHash(content)
	if d.hashes == nil {
		d.hashes = map[ref]hashed{}
	}
	d.hashes[key] = hashed{r.Written, hash}
	return hash, err
}
