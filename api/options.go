package api

// Options of Open, and the progress of calls.

// Convert sets the reaction of Open to a store whose texts were read with the Unicode tables of
// another Go release: letters that were unassigned then may be read differently. Converting reads
// all texts again, which takes as long as an import.
type Convert string

const (
	ConvertNewer  Convert = "newer"  // read the texts again if this program has newer tables; older tables are ErrUnicode
	ConvertNever  Convert = "never"  // other tables are ErrUnicode
	ConvertAlways Convert = "always" // read the texts again if the tables differ
)

// OpenProgress is the progress of Open. Total is approximate.
type OpenProgress struct {
	Step  string `json:"step"` // StepReplay or StepReadAgain
	Done  int64  `json:"done"`
	Total int64  `json:"total"`
}

// The long steps of Open.
const (
	StepReplay    = "replay"     // replay of the log after a crash; in bytes
	StepReadAgain = "read again" // reading texts with other Unicode tables; in documents
)

// Progress is the progress of a call. A call may have several consecutive stages, each with its own
// unit and numbers.
type Progress struct {
	What  string `json:"what"` // unit of the numbers: "sets searched"
	Done  int64  `json:"done"`
	Total int64  `json:"total"` // 0 if unknown
}
