// Scatter generates the kernels of package index that put the words of a join of
// fingerprints in order. It is run by
// make asm.
package main

import (
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// As in index/joinequal.go.
const (
	partBits   = 5
	blockBits  = 16
	bucketBits = blockBits - partBits
	bucketMask = 1<<bucketBits - 1
)

// So many words ahead of itself a loop asks memory for the lines it will write
// to; of a part they follow each other, of a part's buckets they do not.
const (
	ahead      = 16
	aheadBytes = 8 * ahead
)

func main() {
	ConstraintExpr("amd64")
	scatter()
	count()
	place()
	narrow()
	Generate()
}

// doc documents a function in the lines of s.
func doc(s string) { Doc(strings.Split(s, "\n")...) }

func scatter() {
	TEXT("scatterPrefetching", NOSPLIT, "func(words *uint64, ends *uint32, hashes *uint64, numbers *uint32, n int, turn uint64, keep uint64, first uint64)")
	Pragma("noescape")
	doc(`scatterPrefetching turns n hashes left, keeps the bits of keep, adds first and the number, and
puts each where ends has its part, its first bits, to go, which it counts on.`)
	words, ends := Load(Param("words"), GP64()), Load(Param("ends"), GP64())
	hashes, numbers := Load(Param("hashes"), GP64()), Load(Param("numbers"), GP64())
	n := Load(Param("n"), GP64())
	turn := Load(Param("turn"), RCX)
	_ = turn
	keep, first := Load(Param("keep"), GP64()), Load(Param("first"), GP64())
	word, part, to := GP64(), GP64(), GP64()
	i := GP64()
	XORQ(i, i)
	Label("hash")
	CMPQ(i, n)
	JAE(LabelRef("done"))
	MOVQ(Mem{Base: hashes, Index: i, Scale: 8}, word)
	ROLQ(CL, word)
	ANDQ(keep, word)
	MOVL(Mem{Base: numbers, Index: i, Scale: 4}, part.As32())
	ADDQ(first, part)
	ADDQ(part, word)
	MOVQ(word, part)
	SHRQ(Imm(64-partBits), part)
	MOVL(Mem{Base: ends, Index: part, Scale: 4}, to.As32())
	MOVQ(word, Mem{Base: words, Index: to, Scale: 8})
	PREFETCHT0(Mem{Base: words, Index: to, Scale: 8, Disp: aheadBytes})
	INCL(to.As32())
	MOVL(to.As32(), Mem{Base: ends, Index: part, Scale: 4})
	INCQ(i)
	JMP(LabelRef("hash"))
	Label("done")
	RET()
}

// lead leaves the bucket of the i-th word from words on in b, of which memory has
// the first 16 bits in bytes 6 and 7.
func lead(words Register, i int, b GPVirtual) {
	MOVWLZX(Mem{Base: words, Disp: 8*i + 6}, b.As32())
	ANDL(U32(bucketMask), b.As32())
}

// What count will read is asked for so many words ahead, a line at a time.
const (
	lineWords  = 8
	countAhead = 256
)

func count() {
	TEXT("countPrefetching", NOSPLIT, "func(at *uint32, words *uint64, n int)")
	Pragma("noescape")
	doc(`countPrefetching adds to at how many of n words there are of each bucket.`)
	at, words, n := Load(Param("at"), GP64()), Load(Param("words"), GP64()), Load(Param("n"), GP64())
	one := func(i int) {
		b := GP64()
		lead(words, i, b)
		INCL(Mem{Base: at, Index: b, Scale: 4})
	}
	Label("line")
	CMPQ(n, Imm(lineWords))
	JB(LabelRef("rest"))
	PREFETCHT0(Mem{Base: words, Disp: 8 * countAhead})
	for i := range lineWords {
		one(i)
	}
	ADDQ(Imm(8*lineWords), words)
	SUBQ(Imm(lineWords), n)
	JMP(LabelRef("line"))
	Label("rest")
	TESTQ(n, n)
	JZ(LabelRef("done"))
	one(0)
	ADDQ(Imm(8), words)
	DECQ(n)
	JMP(LabelRef("rest"))
	Label("done")
	RET()
}

func place() {
	TEXT("placePrefetching", NOSPLIT, "func(to *uint64, at *uint32, words *uint64, n int)")
	Pragma("noescape")
	doc(`placePrefetching puts each of n words where at has its bucket to go, which it counts on.`)
	to, at := Load(Param("to"), GP64()), Load(Param("at"), GP64())
	words, n := Load(Param("words"), GP64()), Load(Param("n"), GP64())
	one := func() {
		word, b, i := GP64(), GP64(), GP64()
		lead(words, 0, b)
		MOVQ(Mem{Base: words}, word)
		MOVL(Mem{Base: at, Index: b, Scale: 4}, i.As32())
		MOVQ(word, Mem{Base: to, Index: i, Scale: 8})
		INCL(i.As32())
		MOVL(i.As32(), Mem{Base: at, Index: b, Scale: 4})
		ADDQ(Imm(8), words)
		DECQ(n)
	}
	Label("word")
	CMPQ(n, Imm(ahead))
	JBE(LabelRef("rest"))
	later := GP64()
	lead(words, ahead, later)
	MOVL(Mem{Base: at, Index: later, Scale: 4}, later.As32())
	PREFETCHT0(Mem{Base: to, Index: later, Scale: 8})
	one()
	JMP(LabelRef("word"))
	Label("rest")
	TESTQ(n, n)
	JZ(LabelRef("done"))
	one()
	JMP(LabelRef("rest"))
	Label("done")
	RET()
}

func narrow() {
	TEXT("narrow512", NOSPLIT, "func(low *uint32, words *uint64, groups int)")
	Pragma("noescape")
	doc("narrow512 writes the 32 bits behind the block of groups of 8 words.")
	low, words, groups := Load(Param("low"), GP64()), Load(Param("words"), GP64()), Load(Param("groups"), GP64())
	Label("group")
	TESTQ(groups, groups)
	JZ(LabelRef("done"))
	x := ZMM()
	VMOVDQU64(Mem{Base: words}, x)
	VPSRLQ(Imm(64-blockBits-32), x, x)
	VPMOVQD(x, Mem{Base: low})
	ADDQ(Imm(64), words)
	ADDQ(Imm(32), low)
	DECQ(groups)
	JMP(LabelRef("group"))
	Label("done")
	VZEROUPPER()
	RET()
}
