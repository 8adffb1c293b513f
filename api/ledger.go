package api

// The ledger of a collection: the documents dropped or removed because of a similar document.

import "time"

// FellBy is the operation that dropped or removed a document.
type FellBy string

const (
	FellUnless   FellBy = "unless similar"    // a put unless similar; the document was not stored
	FellUnique   FellBy = "unique_sim"        // the setting of the collection rejected the document or its batch
	FellReplaced FellBy = "replacing similar" // the document was stored; a put of the keeper removed it
	FellDedupe   FellBy = "dedupe"            // the document was stored, and deleted as a duplicate of the keeper
)

// LedgerRow records the reason why a document was not stored, or was removed. One commit writes the
// row and makes the decision effective. Rows never change.
type LedgerRow struct {
	Collection string    `json:"collection"` // of the dropped or removed document
	ID         string    `json:"id"`
	Hash       [32]byte  `json:"hash"`   // SHA-256 of its text; with unit = 'token', of its text and tokens as stored
	Keeper     Match     `json:"keeper"` // the document that stayed; its Collection is "" if the collection was dropped since
	Method               // the measure that decided; its query is the keeper for FellReplaced, and otherwise the document ID
	Ignoring   Ignoring  `json:"ignoring,omitzero"` // dedupe: the ignored shingles
	Min        Threshold `json:"min"`
	By         FellBy    `json:"by"`
	Seq        uint64    `json:"seq"` // of its record in the log
	Time       time.Time `json:"time"`
}

// LedgerQuery selects rows of ledgers. The zero value selects all rows of the collection docs.
type LedgerQuery struct {
	In    []string  // collections; empty means docs
	ID    string    // rows that name this document, in either role; "" means any
	Since string    // rows written after this mark; "" means all
	From  time.Time // rows of this time or later
	Limit int       // 0 means all
}

// LedgerVerdict is the result of verifying a row.
type LedgerVerdict string

const (
	LedgerRight   LedgerVerdict = "right"          // both texts exist and have the recorded score
	LedgerWrong   LedgerVerdict = "wrong"          // both texts exist and have another score
	LedgerGone    LedgerVerdict = "texts gone"     // one of the texts is missing
	LedgerChanged LedgerVerdict = "keeper changed" // the keeper was put again after the row was written
	LedgerOpen    LedgerVerdict = "not of two"     // the score depended on more than two texts, because of weights or ignored shingles
)

// VerifiedRow is a row of the ledger with the present score of its two texts.
type VerifiedRow struct {
	LedgerRow
	Verdict LedgerVerdict `json:"verdict"`
	Now     Comparison    `json:"now"` // of the present texts; only for the verdicts right and wrong
}
