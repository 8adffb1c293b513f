package engine

// The log as history: what of its records the store tells the room of files, and the
// setting (docs/decisions/0046).

import (
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/internal/keys"
)

// records tells history what its records mean.
type records struct{ db *DB }

func (records) Settings(payload []byte) ([]byte, error) { return record.SettingsOf(payload) }

func (records) Needed(settings [][]byte) ([]byte, error) { return record.ShortSettings(settings) }

// Present makes the collections and books of now, as records would have done.
func (r records) Present() (out []byte, err error) {
	for _, c := range r.db.collections {
		o := record.Operation{Kind: record.OpCreate, Number: c.Number, Name: c.Name}
		if o.Value, err = c.Schema.Encode(); err != nil {
			return nil, err
		}
		out = o.Encode(out)
		err = disk.ScanSealed(r.db.disk.Pebble(), c.Key(keys.Dictionary), func(_, book []byte) error {
			o := record.Operation{Kind: record.OpBook, Number: c.Number, Value: book}
			out = o.Encode(out)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}
