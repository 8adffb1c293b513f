package syntax

// The words of the language.

import (
	"slices"
	"strings"

	"github.com/simdb/simdb/api"
)

// reserved words cannot be bare names, only quoted names.
var reserved = strings.Fields(`AGAINST AND ASC BETWEEN BY DESC EXPLAIN FALSE FROM GLOB HAVING IN INTO IS LIKE
	LIMIT NOT NULL OFFSET OR ORDER RETURNING SELECT SIMILAR TRUE USING VALUES WHERE WITH`)

// contextual words are keywords only at their place in the grammar, and bare names
// elsewhere.
var contextual = strings.Fields(`ALL ANALYZE AVG BEST CHECK CLUSTERS COLLECTION COLLECTIONS COMPACT COMPARE CONNECTED COUNT CREATE
	DELETE DIRECTED DISTINCT DROP DUPLICATES ERASE FIELDS FILE FINGERPRINT FIRST GROUP GROUPS HAS IGNORING INSERT ISSIMILAR KEEP KEEPER LEDGER LONGEST MARK MAX MIN MORE MUTUAL NEAREST NEWEST OF OFF ON PAIRS
	PASSAGES RELATED SENTENCES SET SETTINGS SHORTEST SHOW SIMILARITY SINCE SOURCES STARS STATS SUM TEXT THAN TIES TIME TO UNLESS UPDATE WITHIN`)

// statements are the first words of statements.
var statements = strings.Fields(`CHECK CLUSTERS COMPACT COMPARE CREATE DELETE DROP DUPLICATES ERASE EXPLAIN GROUP GROUPS INSERT LEDGER RELATED SELECT SHOW SIMILAR
	SOURCES UPDATE`)

// Keywords returns the words of the language in upper case, sorted, for completion.
func Keywords() []string {
	return slices.Sorted(slices.Values(slices.Concat(reserved, contextual)))
}

// isReserved reports whether s cannot be a bare name.
func isReserved(s string) bool {
	_, ok := slices.BinarySearch(reserved, strings.ToUpper(s))
	return ok
}

// ViewName is the name of the view of similar pairs, if it stands bare after FROM.
const ViewName = "si_view"

// SettingNames are the settings of a collection, in display order.
var SettingNames = func() (names []string) {
	for _, s := range api.AllSettings() {
		names = append(names, s.Name)
	}
	return names
}()

// oldSettings are former settings; a hint explains their removal.
var oldSettings = []string{"min_sim", "postings", "sets"}

// RelationNames are the bounds that WITH may set, in the order of the kinds. quotes is a
// second bound of passages, words one of topic, and reading selects the rules of simdb or of the paper.
var RelationNames = []string{"copy", "version", "same_form", "contains", "part_of", "passages", "topic", "quotes", "words", "reading"}
