package api

// What a collection is made with.

import "slices"

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

// Setting describes a setting of a collection.
type Setting struct {
	Name    string
	Type    ColumnType
	Default string // as a statement writes it; "": none
	About   string // a phrase for people
	Want    string // the accepted values, for messages
	File    bool   // a statement names a file, whose text is the value

	text func(*Settings) *string
	on   func(*Settings) *bool
}

// Text returns the setting in s; nil for a number or a switch.
func (x *Setting) Text(s *Settings) *string {
	if x.text == nil {
		return nil
	}
	return x.text(s)
}

// Switch returns the setting in s; nil for a number or a text.
func (x *Setting) Switch(s *Settings) *bool {
	if x.on == nil {
		return nil
	}
	return x.on(s)
}

var settings = []Setting{
	textSetting("unit", "'word'", "unit of the shingles: words, characters, tokens of code, or tokens that the documents bring",
		"'word', 'char', 'token' or 'code'", func(s *Settings) *string { return &s.Unit }),
	{Name: "k", Type: IntegerType, Default: "3 words, 5 characters, 2 tokens of code", About: "units of a shingle", Want: "a whole number from 1 to 100"},
	textSetting("normalize", "", "differences beyond the normal form that do not count: diacritics, arabic, persian, hyphenation",
		"names like 'diacritics, hyphenation'", func(s *Settings) *string { return &s.Normalize }),
	textSetting("fold", "", "tokens of code that count as equal: 'names' folds identifiers, apart from those behind a dot; 'all' folds literals of a kind too",
		"'names' or 'all'", func(s *Settings) *string { return &s.Fold }),
	textSetting("language", "", "programming language of all texts; 'plain' uses no lexer; without the setting the extension in the id decides",
		"a language like 'java', or 'plain'", func(s *Settings) *string { return &s.Language }),
	textSetting("unique_sim", "", "resemblance that no two documents may reach, above 0", "a number between 0 and 1", func(s *Settings) *string { return &s.UniqueSim }),
	textSetting("intervals", "'none'", "repetition intervals, at most 127, for access='interval'",
		"'none', 'paper' or a list like '1-10,11-20'", func(s *Settings) *string { return &s.Intervals }),
	textSetting("si", "", "similarity indexes of each text, at most 4, for the measure si",
		"similarity indexes like 'm43b k40, m3b k16'", func(s *Settings) *string { return &s.SI }),
	switchSetting("versions", "fingerprints of sentences, for the measure versions", func(s *Settings) *bool { return &s.Versions }),
	switchSetting("entities", "fingerprints of the names in paragraphs, for the measure entities", func(s *Settings) *bool { return &s.Entities }),
	fileSetting("gazetteer", "names that are entities wherever they stand, one a line", func(s *Settings) *string { return &s.Gazetteer }),
	fileSetting("synonyms", "groups of terms for one thing, which are entities too: one group a line, with commas between", func(s *Settings) *string { return &s.Synonyms }),
	switchSetting("words", "word frequencies, for the measure words", func(s *Settings) *bool { return &s.Words }),
	switchSetting("patricia", "passages, for the measures patricia and coverage, and for SOURCES OF", func(s *Settings) *bool { return &s.Patricia }),
	textSetting("index", "", "metadata fields with an index of their values, at most 16", "metadata fields like 'year, author'", func(s *Settings) *string { return &s.Index }),
	switchSetting("ledger", "a row of each text that falls to a similar text, for LEDGER", func(s *Settings) *bool { return &s.Ledger }),
}

func textSetting(name, normal, about, want string, of func(*Settings) *string) Setting {
	return Setting{Name: name, Type: TextType, Default: normal, About: about, Want: want, text: of}
}

func fileSetting(name, about string, of func(*Settings) *string) Setting {
	return Setting{Name: name, Type: TextType, About: about, Want: "the name of a file", File: true, text: of}
}

func switchSetting(name, about string, of func(*Settings) *bool) Setting {
	return Setting{Name: name, Type: BooleanType, Default: "off", About: about, Want: "on or off", on: of}
}

// AllSettings returns the settings of a collection, in the order in which SHOW SETTINGS shows them.
func AllSettings() []Setting { return slices.Clone(settings) }

// SettingNamed returns the setting of a name, nil if there is none.
func SettingNamed(name string) *Setting {
	for i := range settings {
		if settings[i].Name == name {
			return &settings[i]
		}
	}
	return nil
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
