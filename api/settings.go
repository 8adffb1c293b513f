package api

// What a collection is made with.

// DefaultCollection is where documents go that name none.
const DefaultCollection = "docs"

// Settings are fixed when a collection is created.
type Settings struct {
	Unit      string // "word" (default), "char", "token": documents bring their tokens, or "code"
	K         int    // 0 means 3 for words, 5 for characters, 2 for code
	Intervals string // "" or "none", "paper", or '1-10,11-20,…'
	UniqueSim string `json:",omitempty"` // no two documents may resemble each other so much or more; "" means they may

	// Normalize names what texts do not differ by beyond their normal form, with commas
	// between: "diacritics", "arabic", "persian", "hyphenation"; "" means nothing.
	Normalize string `json:",omitempty"`

	// Of code. A program that stores it, or looks for texts there, imports package code.
	Fold     string `json:",omitempty"` // "names": identifiers count as equal, apart from those behind a dot; "all": these and literals of a kind too; "": none
	Language string `json:",omitempty"` // of all texts, as "java"; "" means that their names tell it

	// Ledger keeps a durable row of each text that fell to a similar one (DB.Ledger).
	Ledger bool `json:",omitempty"`

	// Index names the metadata fields, at most 16, whose values are indexed, so that a
	// WHERE finds the few documents that it keeps: "year, author.name".
	Index string `json:",omitempty"`

	// What is kept of every text for the measures of the papers. Without it they
	// are answered all the same, by reading every text.
	SI       string `json:",omitempty"` // similarity indexes, at most 4, as sketch.ParseSI reads them: "m43b k40, m3b k16"
	Versions bool   `json:",omitempty"` // fingerprints of sentences
	Entities bool   `json:",omitempty"` // fingerprints of what paragraphs name
	Words    bool   `json:",omitempty"` // word frequencies
	Patricia bool   `json:",omitempty"` // passages

	// What the built-in extractor of entities knows beside its rules: names, one a line,
	// and groups of terms for one thing, one group a line with commas between. They are
	// the texts themselves, at most 1 MiB each. A collection with lists uses no other extractor.
	Gazetteer string `json:",omitempty"`
	Synonyms  string `json:",omitempty"`
}

// SettingNames lists the settings by their names in the language, in the order in which they are
// shown. Beside k, which is a number, each is a text or a switch.
var SettingNames = []string{"unit", "k", "normalize", "fold", "language", "unique_sim", "intervals", "si", "versions", "entities", "gazetteer", "synonyms", "words", "patricia", "index", "ledger"}

// TextSetting returns the setting of that name; nil if it is no text.
func TextSetting(s *Settings, name string) *string {
	return map[string]*string{
		"unit": &s.Unit, "normalize": &s.Normalize, "fold": &s.Fold, "language": &s.Language, "unique_sim": &s.UniqueSim, "intervals": &s.Intervals,
		"si": &s.SI, "gazetteer": &s.Gazetteer, "synonyms": &s.Synonyms, "index": &s.Index,
	}[name]
}

// SwitchSetting returns the setting of that name; nil if it is not on or off.
func SwitchSetting(s *Settings, name string) *bool {
	return map[string]*bool{"versions": &s.Versions, "entities": &s.Entities, "words": &s.Words, "patricia": &s.Patricia, "ledger": &s.Ledger}[name]
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
