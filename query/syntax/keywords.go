package syntax

// The words of the language.

import (
	"slices"
	"strings"
)

// reserved words cannot be bare names. In double quotes they can.
var reserved = strings.Fields(`AGAINST AND ASC BETWEEN BY DESC EXPLAIN FALSE FROM GLOB HAVING IN INTO IS LIKE
	LIMIT NOT NULL OFFSET OR ORDER RETURNING SELECT SIMILAR TRUE USING VALUES WHERE WITH`)

// contextual words are keywords only in their places.
var contextual = strings.Fields(`ALL ANALYZE AVG BEST CHECK CLUSTERS COLLECTION COLLECTIONS COMPACT COMPARE CONNECTED COUNT CREATE
	DELETE DIRECTED DISTINCT DROP DUPLICATES ERASE FIELDS FILE FINGERPRINT FIRST GROUP GROUPS HAS IGNORING INSERT ISSIMILAR KEEP KEEPER LEDGER LONGEST MARK MAX MIN MORE MUTUAL NEAREST NEWEST OF OFF ON PAIRS
	PASSAGES RELATED SENTENCES SET SETTINGS SHORTEST SHOW SIMILARITY SINCE SOURCES STARS STATS SUM TEXT THAN TIES TIME TO UNLESS UPDATE WITHIN`)

var statements = strings.Fields(`CHECK CLUSTERS COMPACT COMPARE CREATE DELETE DROP DUPLICATES EXPLAIN GROUP GROUPS INSERT LEDGER RELATED SELECT SHOW SIMILAR
	SOURCES UPDATE`)

// Keywords returns the words of the language, upper case and sorted, for completion.
func Keywords() []string {
	return slices.Sorted(slices.Values(slices.Concat(reserved, contextual)))
}

func isReserved(s string) bool {
	_, ok := slices.BinarySearch(reserved, strings.ToUpper(s))
	return ok
}

// viewName is a view if it stands bare after FROM.
const viewName = "si_view"

// oldSettings were settings once.
var oldSettings = []string{"min_sim", "postings", "sets"}

// RelationNames are the bounds that WITH may set: those of the kinds in their order, quotes
// being another one of passages and words of topic. The reading says which bounds there are.
var RelationNames = []string{"copy", "version", "same_form", "contains", "part_of", "passages", "topic", "quotes", "words", "reading"}
