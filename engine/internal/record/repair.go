package record

// How far a repair has come. It is stored in the same batch as what was made, so that
// after a crash the next Open goes on behind it (docs/decisions/0048).

import (
	"encoding/json"

	"github.com/simdb/simdb/engine/internal/fault"
)

// RepairMark is the value under keys.Repair, as JSON. As long as there is one, what is
// derived of the documents is not whole.
type RepairMark struct {
	Cleared bool // what was derived before is gone
	Made    bool // all of it is there again, as of the applied record

	Collection uint32   // at hand, or the next one
	Begun      bool     // it is at hand
	Records    bool     // its sets are made; what hangs on the records of documents comes next
	After      []byte   // the last key that was read: of a text, or of a record
	End        uint32   // sets numbered so or above are the repair's own
	Counters   Counters // as far as counted
	Guessed    []uint32 // collections whose next set number may be too small for older marks

	Done, Total int64 // texts and records
}

// Encode returns the mark.
func (m *RepairMark) Encode() ([]byte, error) { return json.Marshal(m) }

// DecodeRepairMark reads a mark. ErrCorrupt if it does not decode.
func DecodeRepairMark(b []byte) (m RepairMark, err error) {
	if err := json.Unmarshal(b, &m); err != nil {
		return RepairMark{}, fault.Corrupt("mark of a repair: %w", err)
	}
	return m, nil
}
