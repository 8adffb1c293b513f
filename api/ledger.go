package api

// The ledger of a collection: what fell to something similar, and to what.

import "time"

// FellBy says what made a document fall.
type FellBy string

const (
	FellUnless   FellBy = "unless similar"    // it was put unless something similar was there, and is not stored
	FellUnique   FellBy = "unique_sim"        // the setting of the collection kept it out, or refused its batch
	FellReplaced FellBy = "replacing similar" // it was stored; the keeper was put and took its place
	FellDedupe   FellBy = "dedupe"            // it was stored, and deleted as a duplicate of the keeper
)

// LedgerRow says of one document why it is not stored, or no longer. It was written in one
// step with what it tells, and is never changed.
type LedgerRow struct {
	Collection string    `json:"collection"` // of the document that fell
	ID         string    `json:"id"`
	Hash       [32]byte  `json:"hash"`   // SHA-256 of its text; with own tokens, of text and tokens as they are stored
	Keeper     Match     `json:"keeper"` // what it fell to; its Collection is "" if that was dropped since
	Method               // the measure that decided. A new document is its query, also one that took the place of another
	Ignoring   Ignoring  `json:"ignoring,omitzero"` // dedupe: what was not counted
	Min        Threshold `json:"min"`
	By         FellBy    `json:"by"`
	Seq        uint64    `json:"seq"` // of its record in the log
	Time       time.Time `json:"time"`
}

// LedgerQuery says which rows are wanted. The zero value asks for all of docs.
type LedgerQuery struct {
	In    []string  // collections; empty means docs
	ID    string    // rows in which this document fell or kept; "" is any
	Since string    // a mark: rows that were written after it; "" is all
	From  time.Time // rows of this time or later
	Limit int       // 0 is all
}

// LedgerVerdict is what verifying says of a row.
type LedgerVerdict string

const (
	LedgerRight   LedgerVerdict = "right"          // both texts are there, and score what the row says
	LedgerWrong   LedgerVerdict = "wrong"          // they score something else
	LedgerGone    LedgerVerdict = "texts gone"     // one of the two is not there
	LedgerChanged LedgerVerdict = "keeper changed" // the keeper was put again after the row was written
	LedgerOpen    LedgerVerdict = "not of two"     // other texts decided too, by a weight or by what was ignored
)

// VerifiedRow is a row of the ledger, and what the two texts say of it now.
type VerifiedRow struct {
	LedgerRow
	Verdict LedgerVerdict `json:"verdict"`
	Now     Comparison    `json:"now"` // of the two texts as they are; only of rows that are right or wrong
}
