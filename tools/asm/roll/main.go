// Command roll writes the assembly that makes the hashes of shingles of those of
// their tokens, for AVX-512. It is run by
// make asm.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64")
	words()
	chars()
	fives()
	combine()
	mixed()
	Generate()
}

// eights does something at eight places at a time; n > 0 is how many there are.
// The last time a mask leaves out those beyond the end, and reading them, too.
func eights(n Register, do func(at, mask Register)) {
	at, ones, mask := GP64(), GP32(), K()
	XORQ(at, at)
	MOVL(U32(0xff), ones)
	KMOVB(ones, mask)
	SUBQ(U8(8), n)
	JLE(LabelRef("last"))
	Label("eight")
	do(at, mask)
	ADDQ(U8(8), at)
	CMPQ(at, n)
	JL(LabelRef("eight"))
	Label("last")
	SUBQ(at, n)
	ADDQ(U8(8), n)
	BZHIL(n.(GPVirtual).As32(), ones, ones)
	KMOVB(ones, mask)
	do(at, mask)
	VZEROUPPER()
	RET()
}

// broadcast fills a register with a number.
func broadcast(x uint64) VecVirtual {
	r, wide := GP64(), ZMM()
	MOVQ(U64(x), r)
	VPBROADCASTQ(r, wide)
	return wide
}

// mixer is mix of registers, in place.
func mixer() func(of ...Register) {
	factors := []Register{broadcast(0xff51afd7ed558ccd), broadcast(0xc4ceb9fe1a85ec53)}
	fold := func(x Register) {
		high := ZMM()
		VPSRLQ(U8(33), x, high)
		VPXORQ(high, x, x)
	}
	return func(of ...Register) {
		for _, factor := range factors {
			for _, x := range of {
				fold(x)
				VPMULLQ(factor, x, x)
			}
		}
		for _, x := range of {
			fold(x)
		}
	}
}

// words is wordHash, eight times. Of tokens 0 to 7 it has 0, 4, 1, 5, … in its
// registers, as two loads of four starts and ends each come apart that way.
func words() {
	order := GLOBL("orderOfWords", RODATA|NOPTR)
	for i, from := range []uint64{0, 2, 4, 6, 1, 3, 5, 7} {
		DATA(8*i, U64(from))
	}
	TEXT("words512", NOSPLIT, "func(hashes *uint64, norm *byte, tokens *int, n int)")
	Pragma("noescape")
	Doc("words512 sets the hashes of n > 0 words, a multiple of 8, of up to 16 bytes each. It reads 16 bytes from each start. Longer words get some hash.", "Measured: 1.9 to 2.8 times as fast as Go.")
	hashes, norm := Load(Param("hashes"), GP64()), Load(Param("norm"), GP64())
	tokens, n := Load(Param("tokens"), GP64()), Load(Param("n"), GP64())
	lowSeed, highSeed, mix := broadcast(0xa0761d6478bd64ff), broadcast(0xe7b7c9d1a0f428db), mixer()
	eight, bits, low32 := broadcast(8), broadcast(64), broadcast(1<<32-1)
	ones, places := ZMM(), ZMM()
	VPTERNLOGD(U8(0xff), ones, ones, ones)
	VMOVDQU64(order, places)

	Label("eight")
	some, more, starts, length := ZMM(), ZMM(), ZMM(), ZMM()
	VMOVDQU64(Mem{Base: tokens}, some)
	VMOVDQU64(Mem{Base: tokens, Disp: 64}, more)
	VPUNPCKLQDQ(more, some, starts)
	VPUNPCKHQDQ(more, some, length)
	VPSUBQ(starts, length, length)
	var half [2]VecVirtual
	for i := range half {
		all := K()
		KXNORB(all, all, all)
		half[i] = ZMM()
		VPXORQ(half[i], half[i], half[i])
		VPGATHERQQ(Mem{Base: norm, Index: starts, Scale: 1, Disp: 8 * i}, all, half[i])
	}
	// What is beyond the word's end becomes zero. A shift by 64 leaves nothing.
	inLow, inHigh, mask := ZMM(), ZMM(), ZMM()
	VPMINUQ(eight, length, inLow)
	VPSUBQ(inLow, length, inHigh)
	for i, in := range []Register{inLow, inHigh} {
		VPSLLQ(U8(3), in, in)
		VPSUBQ(in, bits, in)
		VPSRLVQ(in, ones, mask)
		VPANDQ(mask, half[i], half[i])
	}
	x, y := ZMM(), ZMM()
	VPXORQ(lowSeed, half[0], x)
	VPROLQ(U8(32), half[0], y)
	VPXORQ(half[1], y, y)
	VPXORQ(highSeed, y, y)

	// The product of x and y in four products of their halves.
	highX, highY := ZMM(), ZMM()
	VPSRLQ(U8(32), x, highX)
	VPSRLQ(U8(32), y, highY)
	product, lower, left, right := ZMM(), ZMM(), ZMM(), ZMM()
	VPMULUDQ(highX, highY, product)
	VPMULUDQ(x, y, lower)
	VPMULUDQ(highX, y, left)
	VPMULUDQ(x, highY, right)
	carry := ZMM()
	VPSRLQ(U8(32), lower, carry)
	VPADDQ(carry, left, left)
	VPANDQ(low32, left, carry)
	VPADDQ(carry, right, right)
	for _, middle := range []Register{left, right} {
		VPSRLQ(U8(32), middle, carry)
		VPADDQ(carry, product, product)
	}
	VPSLLQ(U8(32), right, right)
	VPANDQ(low32, lower, lower)
	VPXORQ(right, product, product)
	VPXORQ(lower, product, product)
	mix(product)
	VPERMQ(product, places, product)
	VMOVDQU64(product, Mem{Base: hashes})
	SUBQ(I32(-128), tokens)
	ADDQ(U8(64), hashes)
	SUBQ(U8(8), n)
	JNZ(LabelRef("eight"))
	VZEROUPPER()
	RET()
}

func chars() {
	TEXT("chars512", NOSPLIT, "func(hashes *uint64, norm *byte, n int)")
	Pragma("noescape")
	Doc("chars512 sets the hashes of n > 0 ASCII characters.", "Measured with combine512 and mix512, for shingles of eight characters: 2 to 3 times as fast as Go.")
	hashes, norm, n := Load(Param("hashes"), GP64()), Load(Param("norm"), GP64()), Load(Param("n"), GP64())
	seed, mix := broadcast(0x9e3779b97f4a7c15), mixer() // charSeed
	eights(n, func(at, mask Register) {
		x := ZMM()
		VPMOVZXBQ_Z(Mem{Base: norm, Index: at, Scale: 1}, mask, x)
		VPADDQ(seed, x, x)
		mix(x)
		VMOVDQU64(x, mask, Mem{Base: hashes, Index: at, Scale: 8})
	})
}

// fives has no pass over the characters' hashes, and looks these up. Each step is
// made of four registers before the next, for its latency's sake; the hashes of 16
// characters and of 8 pairs stay for the next round.
func fives() {
	TEXT("fives512", NOSPLIT, "func(hashes *uint64, norm *byte, n int, table *[256]uint64, seed uint64)")
	Pragma("noescape")
	Doc("fives512 sets the hashes of n > 0 shingles of five ASCII characters, whose hashes are in the table. It reads up to 47 bytes behind norm[:n] and writes up to 31 hashes more.", "Measured: 2 to 4 times as fast as Go.")
	hashes, norm, n := Load(Param("hashes"), GP64()), Load(Param("norm"), GP64()), Load(Param("n"), GP64())
	table := Load(Param("table"), GP64())
	const multiplier = 0x9fb21c651e98df23
	factor, square := broadcast(multiplier), broadcast(multiplier*multiplier%(1<<64))
	mix := mixer()
	seed := ZMM()
	VPBROADCASTQ(Load(Param("seed"), GP64()), seed)
	const wide = 4
	char, pair := zmms(wide+2), zmms(wide+1)
	look := func(i int) {
		at, all := ZMM(), K()
		KXNORB(all, all, all)
		VPMOVZXBQ(Mem{Base: norm, Disp: 8 * i}, at)
		VPXORQ(char[i], char[i], char[i])
		VPGATHERQQ(Mem{Base: table, Index: at, Scale: 8}, all, char[i])
	}
	// addNext adds those that stand by places after a register's, whose next is b.
	addNext := func(by uint8, a, b, sum Register) {
		next := ZMM()
		VALIGNQ(U8(by), a, b, next)
		VPADDQ(next, sum, sum)
	}
	look(0)
	look(1)
	VPMULLQ(factor, char[0], pair[0])
	addNext(1, char[0], char[1], pair[0])

	Label("eights")
	for i := range wide {
		look(i + 2)
	}
	for i := range wide {
		VPMULLQ(factor, char[i+1], pair[i+1])
	}
	for i := range wide {
		addNext(1, char[i+1], char[i+2], pair[i+1])
	}
	sum := zmms(wide)
	for i, x := range sum {
		VPMULLQ(square, pair[i], x)
	}
	for i, x := range sum {
		addNext(2, pair[i], pair[i+1], x)
	}
	for _, x := range sum {
		VPMULLQ(factor, x, x)
	}
	for i, x := range sum {
		addNext(4, char[i], char[i+1], x)
		VPADDQ(seed, x, x)
	}
	mix(sum...)
	for i, x := range sum {
		VMOVDQU64(x, Mem{Base: hashes, Disp: 64 * i})
	}
	VMOVDQA64(char[wide], char[0])
	VMOVDQA64(char[wide+1], char[1])
	VMOVDQA64(pair[wide], pair[0])
	ADDQ(U8(8*wide), norm)
	ADDQ(I32(64*wide), hashes)
	SUBQ(U8(8*wide), n)
	JG(LabelRef("eights"))
	VZEROUPPER()
	RET()
}

func zmms(n int) []Register {
	r := make([]Register, n)
	for i := range r {
		r[i] = ZMM()
	}
	return r
}

func combine() {
	TEXT("combine512", NOSPLIT, "func(sums, a, b *uint64, n int, factor uint64)")
	Pragma("noescape")
	Doc("combine512 sets n > 0 sums to a·factor + b. They may lie where a is, and b behind.", "Measured with chars512.")
	sums, n := Load(Param("sums"), GP64()), Load(Param("n"), GP64())
	a, b := Load(Param("a"), GP64()), Load(Param("b"), GP64())
	factor := ZMM()
	VPBROADCASTQ(Load(Param("factor"), GP64()), factor)
	eights(n, func(at, mask Register) {
		x := ZMM()
		VMOVDQU64_Z(Mem{Base: a, Index: at, Scale: 8}, mask, x)
		VPMULLQ(factor, x, x)
		VPADDQ_Z(Mem{Base: b, Index: at, Scale: 8}, x, mask, x)
		VMOVDQU64(x, mask, Mem{Base: sums, Index: at, Scale: 8})
	})
}

func mixed() {
	TEXT("mix512", NOSPLIT, "func(sums *uint64, n int, seed uint64)")
	Pragma("noescape")
	Doc("mix512 replaces n > 0 sums by mix(sum + seed).", "Measured with chars512.")
	sums, n := Load(Param("sums"), GP64()), Load(Param("n"), GP64())
	seed := ZMM()
	VPBROADCASTQ(Load(Param("seed"), GP64()), seed)
	mix := mixer()
	eights(n, func(at, mask Register) {
		x := ZMM()
		VMOVDQU64_Z(Mem{Base: sums, Index: at, Scale: 8}, mask, x)
		VPADDQ(seed, x, x)
		mix(x)
		VMOVDQU64(x, mask, Mem{Base: sums, Index: at, Scale: 8})
	})
}
