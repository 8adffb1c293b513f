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
	chars()
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

// mixer is mix of a register, in place.
func mixer() func(x Register) {
	factors := []Register{broadcast(0xff51afd7ed558ccd), broadcast(0xc4ceb9fe1a85ec53)}
	return func(x Register) {
		high := ZMM()
		for _, factor := range factors {
			VPSRLQ(U8(33), x, high)
			VPXORQ(high, x, x)
			VPMULLQ(factor, x, x)
		}
		VPSRLQ(U8(33), x, high)
		VPXORQ(high, x, x)
	}
}

func chars() {
	TEXT("chars512", NOSPLIT, "func(hashes *uint64, norm *byte, n int)")
	Pragma("noescape")
	Doc("chars512 sets the hashes of n > 0 ASCII characters.")
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

func combine() {
	TEXT("combine512", NOSPLIT, "func(sums, a, b *uint64, n int, factor uint64)")
	Pragma("noescape")
	Doc("combine512 sets n > 0 sums to a·factor + b. They may lie where a is, and b behind.")
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
	Doc("mix512 replaces n > 0 sums by mix(sum + seed).")
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
