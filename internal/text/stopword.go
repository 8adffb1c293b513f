package text

// The stop words of simdb.

import "strings"

// IsStopWord reports whether a lower-case word is a stop word: the English articles,
// pronouns, prepositions, conjunctions and auxiliary verbs that occur in nearly every
// English text. Paper 000 removes stop words but prints no list, so this list is
// simdb's own. It is part of every similarity index of variation B or D: changing it
// changes the index.
func IsStopWord(lower string) bool { return stopWords[lower] }

var stopWords = func() map[string]bool {
	const list = `
		a an the this that these those
		i me my mine myself we us our ours ourselves you your yours yourself
		he him his himself she her hers herself it its itself they them their theirs themselves
		who whom whose which what
		and or but nor if than so because though while as
		of in on at by to from for with without into onto upon over under
		about above below after before between among through during against off out up down
		am is are was were be been being do does did doing done
		have has had having can could may might must shall should will would
		not no yes there here when where why how then
		all any both each every either neither some such
		only own same too very more most other again just also`
	words := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		words[w] = true
	}
	return words
}()
