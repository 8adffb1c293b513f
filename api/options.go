package api

// What Open is told, and what it tells while it works.

// Convert says what Open does with a store whose texts were read with the Unicode
// tables of another Go release: letters that were unassigned then may be read otherwise.
// It then reads all texts again, which takes as long as an import.
type Convert string

const (
	ConvertNewer  Convert = "newer"  // read them again if this program has newer tables; older ones are ErrUnicode
	ConvertNever  Convert = "never"  // other tables are ErrUnicode
	ConvertAlways Convert = "always" // read them again with any other tables
)

// OpenProgress says how far Open has come. Total is about what there is.
type OpenProgress struct {
	Step  string `json:"step"` // StepReplay or StepReadAgain
	Done  int64  `json:"done"`
	Total int64  `json:"total"`
}

// What Open may take long for.
const (
	StepReplay    = "replay"     // the log, after a crash; in bytes
	StepReadAgain = "read again" // texts, with other tables of Unicode; in documents
)

// Progress is how far a call has come: so many of what are done, of Total. A call may
// have several stages, one after the other, each with a name and numbers of its own.
type Progress struct {
	What  string `json:"what"` // what is counted: "sets searched"
	Done  int64  `json:"done"`
	Total int64  `json:"total"` // Total is 0 where no one knows it
}
