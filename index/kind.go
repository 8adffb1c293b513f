package index

// The kinds of runs in a segment.

// Kind identifies a run of a posting segment.
type Kind uint8

const (
	Prefix   Kind = iota // key: token (high bits of a shingle hash), with its part above; payload: Entry
	Frequent             // key: as of Prefix; each page is a column: the sets with a frequent shingle beyond their prefixes
	Rotated0             // key: SimHash rotated left by 0 bits; payload: set − Lo
	Rotated16
	Rotated32
	Rotated48
	Sentence0 // key: fingerprint of a sentence; payload: counted, with the number of the set's sentences
	Sentence16
	Entity0 // the same of paragraphs, over the entities they name
	Entity16
	EntityTF0 // over the entities as often as they are named
	EntityTF16
	Word  // key: high half of a word's hash; payload: counted, with a code of its weight
	Gram  // key: that of a chosen gram; payload: counted, with its frequency
	Kinds // the number of kinds
)

// ShingleKinds are the kinds with postings of shingles.
var ShingleKinds = [...]Kind{Prefix, Frequent}

// isRotated reports whether k is a rotated table.
func isRotated(k Kind) bool { return Rotated0 <= k && k <= Rotated48 }
