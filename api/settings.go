package api

// Settings of collections, and the description of each setting.

import "slices"

// DefaultCollection is the collection of documents without a collection.
const DefaultCollection = "docs"

// Settings are fixed when a collection is created. Their names in JSON are part of the format of
// dumps.
type Settings struct {
	Unit      string `json:"Unit"`                // "word" (default), "char", "token" for tokens that the documents supply, or "code"
	K         int    `json:"K"`                   // 0 means 3 for words and supplied tokens, 5 for characters, 2 for code
	Intervals string `json:"Intervals"`           // "" or "none", "paper", or '1-10,11-20,…'
	UniqueSim string `json:"UniqueSim,omitempty"` // resemblance that no two documents may reach; "" means none

	// Normalize lists further differences that the comparison ignores, in addition to the normal
	// form, separated by commas: "diacritics", "arabic", "persian", "hyphenation"; "" means none.
	Normalize string `json:"Normalize,omitempty"`

	// For unit "code". A program that stores code, or searches it by texts, must import package code.
	Fold     string `json:"Fold,omitempty"`     // "names" equates identifiers, except after a dot; "all" also equates literals of a kind; "" equates nothing
	Language string `json:"Language,omitempty"` // of all texts, such as "java"; "" means that their names determine it

	// Ledger records a durable row for each text dropped or removed because of a similar text
	// (DB.Ledger).
	Ledger bool `json:"Ledger,omitempty"`

	// Index lists the metadata fields with an index of their values, at most 16: "year,
	// author.name". It speeds up searches with a selective WHERE.
	Index string `json:"Index,omitempty"`

	// The data kept per text for the measures of the papers. Without it these measures read every
	// text.
	SI       string `json:"SI,omitempty"`       // similarity indexes, at most 4, as sketch.ParseSI reads them: "m43b k40, m3b k16"
	Versions bool   `json:"Versions,omitempty"` // fingerprints of sentences
	Entities bool   `json:"Entities,omitempty"` // fingerprints of the entities in paragraphs
	Words    bool   `json:"Words,omitempty"`    // word frequencies
	Patricia bool   `json:"Patricia,omitempty"` // passages

	// Lists for the built-in extractor of entities, at most 1 MiB each: the names of Gazetteer, one
	// per line, and the groups of Synonyms, one group per line, with commas between its terms. The
	// fields hold the lists, not paths of files. A collection with lists uses no other extractor.
	Gazetteer string `json:"Gazetteer,omitempty"`
	Synonyms  string `json:"Synonyms,omitempty"`
}

// Setting describes a setting of a collection.
type Setting struct {
	Name    string
	Type    ColumnType
	Default string // as a statement writes it; "": none
	About   string // documentation, a phrase
	Want    string // the accepted values, for messages
	File    bool   // a statement gives the path of a file that contains the value

	text func(*Settings) *string
	on   func(*Settings) *bool
}

// Text returns a pointer to the value of the setting in s; nil for a number or a switch.
func (x *Setting) Text(s *Settings) *string {
	if x.text == nil {
		return nil
	}
	return x.text(s)
}

// Switch returns a pointer to the value of the setting in s; nil for a number or a text.
func (x *Setting) Switch(s *Settings) *bool {
	if x.on == nil {
		return nil
	}
	return x.on(s)
}

var settings = []Setting{
	textSetting("unit", "'word'", "tokens of shingles: words, characters, tokens that the documents supply, or tokens of code",
		"'word', 'char', 'token' or 'code'", func(s *Settings) *string { return &s.Unit }),
	{Name: "k", Type: IntegerType, Default: "3 words or supplied tokens, 5 characters, 2 tokens of code", About: "tokens per shingle", Want: "a whole number from 1 to 100"},
	textSetting("normalize", "", "differences to ignore beyond the normal form: diacritics, arabic, persian, hyphenation",
		"names like 'diacritics, hyphenation'", func(s *Settings) *string { return &s.Normalize }),
	textSetting("fold", "", "tokens of code that count as equal: identifiers except after a dot ('names'), or all identifiers, and literals of each kind ('all')",
		"'names' or 'all'", func(s *Settings) *string { return &s.Fold }),
	textSetting("language", "", "programming language of all texts; 'plain' uses no lexer; by default the extension of each id decides",
		"a language like 'java', or 'plain'", func(s *Settings) *string { return &s.Language }),
	textSetting("unique_sim", "", "resemblance above 0 that no two documents may reach", "a number between 0 and 1", func(s *Settings) *string { return &s.UniqueSim }),
	textSetting("intervals", "'none'", "repetition intervals, at most 127, for access='interval'",
		"'none', 'paper' or a list like '1-10,11-20'", func(s *Settings) *string { return &s.Intervals }),
	textSetting("si", "", "similarity indexes of each text, at most 4, for the measure si",
		"similarity indexes like 'm43b k40, m3b k16'", func(s *Settings) *string { return &s.SI }),
	switchSetting("versions", "fingerprints of sentences, for the measure versions", func(s *Settings) *bool { return &s.Versions }),
	switchSetting("entities", "fingerprints of the names in paragraphs, for the measure entities", func(s *Settings) *bool { return &s.Entities }),
	fileSetting("gazetteer", "names that are always entities, one per line", func(s *Settings) *string { return &s.Gazetteer }),
	fileSetting("synonyms", "groups of synonymous terms, which are entities too; one group per line, with commas between its terms", func(s *Settings) *string { return &s.Synonyms }),
	switchSetting("words", "word frequencies, for the measure words", func(s *Settings) *bool { return &s.Words }),
	switchSetting("patricia", "passages, for the measures patricia and coverage, and for SOURCES OF", func(s *Settings) *bool { return &s.Patricia }),
	textSetting("index", "", "metadata fields with an index of their values, at most 16", "metadata fields like 'year, author'", func(s *Settings) *string { return &s.Index }),
	switchSetting("ledger", "a row for each text rejected or removed because of a similar text, for LEDGER", func(s *Settings) *bool { return &s.Ledger }),
}

// textSetting returns a setting with a text.
func textSetting(name, normal, about, want string, of func(*Settings) *string) Setting {
	return Setting{Name: name, Type: TextType, Default: normal, About: about, Want: want, text: of}
}

// fileSetting returns a setting whose value is the text of a file.
func fileSetting(name, about string, of func(*Settings) *string) Setting {
	return Setting{Name: name, Type: TextType, About: about, Want: "the name of a file", File: true, text: of}
}

// switchSetting returns a setting that is on or off.
func switchSetting(name, about string, of func(*Settings) *bool) Setting {
	return Setting{Name: name, Type: BooleanType, Default: "off", About: about, Want: "on or off", on: of}
}

// AllSettings returns the settings of a collection, in the order of SHOW SETTINGS.
func AllSettings() []Setting { return slices.Clone(settings) }

// SettingNamed returns the setting of a name, nil if unknown.
func SettingNamed(name string) *Setting {
	for i := range settings {
		if settings[i].Name == name {
			return &settings[i]
		}
	}
	return nil
}

// EntityExtractor finds the entities that a paragraph names, for the measure entities.
type EntityExtractor struct {
	// Name identifies this extractor and its version.
	Name string
	// Entities returns the names in order, with repetition; equal entities are equal strings.
	// It must be deterministic and safe for concurrent use.
	Entities func(paragraph string) []string
}

// Check rejects an incomplete extractor. nil is the built-in extractor.
func (x *EntityExtractor) Check() error {
	if x != nil && (x.Name == "" || x.Entities == nil) {
		return invalid("an extractor of entities needs a Name and a function")
	}
	return nil
}
