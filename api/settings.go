package api

// What a collection is made with.

// DefaultCollection is where documents go that name none.
const DefaultCollection = "docs"

// Settings are fixed when a collection is created. Their names in JSON are those of dumps.
type Settings struct {
	Unit      string `json:"Unit"`                // "word" (default), "char", "token": documents bring their tokens, or "code"
	K         int    `json:"K"`                   // 0 means 3 for words, 5 for characters, 2 for code
	Intervals string `json:"Intervals"`           // "" or "none", "paper", or '1-10,11-20,…'
	UniqueSim string `json:"UniqueSim,omitempty"` // no two documents may resemble each other so much or more; "" means they may

	// Normalize names what texts do not differ by beyond their normal form, with commas
	// between: "diacritics", "arabic", "persian", "hyphenation"; "" means nothing.
	Normalize string `json:"Normalize,omitempty"`

	// Of code. A program that stores it, or looks for texts there, imports package code.
	Fold     string `json:"Fold,omitempty"`     // "names": identifiers count as equal, apart from those behind a dot; "all": these and literals of a kind too; "": none
	Language string `json:"Language,omitempty"` // of all texts, as "java"; "" means that their names tell it

	// Ledger keeps a durable row of each text that fell to a similar one (DB.Ledger).
	Ledger bool `json:"Ledger,omitempty"`

	// Index names the metadata fields, at most 16, whose values are indexed, so that a
	// WHERE finds the few documents that it keeps: "year, author.name".
	Index string `json:"Index,omitempty"`

	// What is kept of every text for the measures of the papers. Without it they
	// are answered all the same, by reading every text.
	SI       string `json:"SI,omitempty"`       // similarity indexes, at most 4, as sketch.ParseSI reads them: "m43b k40, m3b k16"
	Versions bool   `json:"Versions,omitempty"` // fingerprints of sentences
	Entities bool   `json:"Entities,omitempty"` // fingerprints of what paragraphs name
	Words    bool   `json:"Words,omitempty"`    // word frequencies
	Patricia bool   `json:"Patricia,omitempty"` // passages

	// What the built-in extractor of entities knows beside its rules: names, one a line,
	// and groups of terms for one thing, one group a line with commas between. They are
	// the texts themselves, at most 1 MiB each. A collection with lists uses no other extractor.
	Gazetteer string `json:"Gazetteer,omitempty"`
	Synonyms  string `json:"Synonyms,omitempty"`
}

// EntityExtractor finds what a paragraph names, for the measure entities.
type EntityExtractor struct {
	// Name tells this extractor from every other, also from its other versions.
	Name string
	// Entities returns the names in order, with repetition; equal ones are equal strings.
	// It must give the same answer each time, and is called from many goroutines.
	Entities func(paragraph string) []string
}

// Check refuses an extractor that is not whole. nil is the built-in one.
func (x *EntityExtractor) Check() error {
	if x != nil && (x.Name == "" || x.Entities == nil) {
		return invalid("an extractor of entities needs a Name and a function")
	}
	return nil
}
