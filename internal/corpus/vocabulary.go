package corpus

// The vocabulary of composed texts, with the word frequencies of English: filters rely
// on rare words.

import (
	"math"
	"math/rand/v2"
	"strings"
	"sync"
)

// common lists the most common words of every text, most frequent first.
const common = `the of and to in a is that for it as with on was by be at this are from or have an they which
one were all there their we more will has would been if what its who no can other about when these into time
only some could also than them then two may such first any should our most between after over each must where
those many before through under while during both work part made use well same however without within against`

// stems and the affixes form the rest of the vocabulary, nearly 30,000 words.
const stems = `act arch balance band bank barn bear bell bend blend board boat bond book border bottle branch brass
bread breath brick bridge broad brook brush build bundle burn cabin calm camp canal candle care carpet cart cast
cattle chain chalk chance chart chase cheer chest church circle claim clay clean clear climb clock cloth cloud coal
coast code coin cold color comb cook copper cord corn cotton count court cover craft crane creek crew crop cross
crowd crown cup current curtain cycle dance dawn deal deck deep desk dish dock door draft drain draw dream dress
drift drill drum dust eagle earth east edge elm engine fabric face factor fair farm fast feather fence fern ferry
field film final fire firm fish flag flame flat fleet float floor flour flow flower fold forest forge form fort
frame free fresh friend front frost fruit fuel garden gate gather gentle glass globe glove gold grain grand grass
gravel green ground group grove guard guest guide harbor harvest hat hawk heart heat hedge herd hill hollow honey
hook horn horse house hunt ice ink iron island ivory jacket jewel join journey judge jump kettle key kind knot lake
lamp land lane large leaf leather ledger lens letter level light limb line linen link list load local lock log lumber
machine map marble march mark market mask mast match meadow measure meet mellow metal middle mild mill mind mine mirror
moor moss motion mount music nail narrow neat nest night north note oak oar ocean office open orchard order organ paint
pair palm panel paper park pasture path pattern pave pearl pencil pepper perch pier pilot pine pipe plain plan plant
plate play plough pocket point pole pond port post pound powder press print pump quarry quart quick quiet rail rain
range raven reach reed reef rest rice ridge ring rise river road rock roof room root rope rose round row rush saddle
sail salt sand scale school score screen seal season seed shade shape sheep shell shelter shield ship shore short
signal silk silver sketch skill slate sleep slope smooth snow soft soil solid song south spark spire spread spring
square stable staff stage stair stamp stand star state steam steel stem stone store storm stream street strong summer
supply swan table tail tall tender tent test thread tide tile timber title tool torch tower town track trade trail
train tree trim trust tunnel turn valley vein velvet vessel village vine voice wagon walk wall warm watch water wave
wax west wheat wheel white wide wild willow wind window wing winter wire wood wool yard yarn year`

const (
	prefixes = " re un over under out fore"
	suffixes = " s ed ing er ers ly ness less"
)

// A word is the index of its first form.
type word uint32

// A form is the punctuation after a word; the capitalised forms follow the others.
type form uint32

const (
	space form = iota
	comma
	stop
	end  // of a paragraph
	last // word of a text
	forms
	upper = word(forms)
)

var endings = [forms]string{space: " ", comma: ", ", stop: ". ", end: ".\n\n", last: ".\n"}

// with returns the word in a form.
func (w word) with(f form) string { return written()[uint32(w)+uint32(f)] }

// written holds all forms of all words, by rank.
var written = sync.OnceValue(func() (all []string) {
	for _, w := range vocabulary() {
		for _, w := range [...]string{w, strings.ToUpper(w[:1]) + w[1:]} {
			for _, b := range endings {
				all = append(all, w+b)
			}
		}
	}
	return all
})

// slots is a table in which a word occurs in proportion to its probability: a random
// index picks by frequency, roughly one over the rank, as in English.
var slots = sync.OnceValue(func() []word {
	n := len(vocabulary())
	table := make([]word, 1<<17)
	total := math.Log(float64(n)) + 0.5772 // slightly below Σ 1/rank, so the table fills
	next := 0
	for rank := range n {
		share := int(math.Ceil(float64(len(table)) / total / float64(rank+1)))
		for range min(share, len(table)-next) {
			table[next] = word(rank) * 2 * word(forms)
			next++
		}
	}
	return table
})

// vocabulary returns the words by rank.
func vocabulary() []string {
	words := strings.Fields(common)
	stems := strings.Fields(stems)
	for _, suffix := range strings.Split(suffixes, " ") {
		for _, prefix := range strings.Split(prefixes, " ") {
			for _, stem := range stems {
				words = append(words, prefix+stem+suffix)
			}
		}
	}
	return words
}

// pick draws a random word.
func pick(r *rand.Rand) word {
	table := slots()
	return table[r.Uint64()&uint64(len(table)-1)]
}
