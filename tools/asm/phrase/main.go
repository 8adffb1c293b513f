// Command phrase writes the assembly that cuts a text into phrases, for AVX-512, finds what it
// repeats and writes codes. It is run by
// make asm.
package main

import (
	"math/bits"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// As in package phrase.
const (
	maxPhrase  = 8
	streams    = 5
	stepBytes  = 8
	valueBits  = 24
	tagByte    = 4 // of a hash
	hashFactor = 0x9e3779b97f4a7c15
	salt       = 0x51b2a37
	bucketBits = 12
)

// doc documents a function in the lines of s.
func doc(s string) { Doc(strings.Split(s, "\n")...) }

func main() {
	ConstraintExpr("amd64")
	stream()
	candidate()
	write()
	Generate()
}

// words is a constant of n words.
func words(name string, n int, word func(i int) uint64) Mem {
	m := GLOBL(name, RODATA|NOPTR)
	for i := range n {
		DATA(8*i, U64(word(i)))
	}
	return m
}

// stream asks for all lengths of a phrase at once, a lane each. What a step waits for is
// the gathering of eight buckets: those of all streams are under way together, as no
// stream waits for another.
func stream() {
	byLength := words("byLength", 2*maxPhrase, func(n int) uint64 {
		if n < maxPhrase {
			return 1<<(8*n+8) - 1
		}
		return uint64(n-maxPhrase) * salt
	})
	tags := words("tagsOfHashes", 2, func(n int) uint64 {
		at := uint64(tagByte + n*8)
		return (at | (at+1)<<8) * 0x0001000100010001
	})

	TEXT("stream512", NOSPLIT, "func(buckets *uint64, first *uint16, entries *uint64, text *byte, limit int, steps *uint64, at *[5]int, end *[5]int) int")
	Pragma("noescape")
	doc(`stream512 is streamPlain, but counts the steps of all streams. It reads up to 8 bytes of text behind limit.
Measured: cutting a text into phrases takes half to three quarters of the time that it takes in Go.`)
	buckets, first, entries := Load(Param("buckets"), GP64()), Load(Param("first"), GP64()), Load(Param("entries"), GP64())
	text := Load(Param("text"), GP64())
	limit, _ := Param("limit").Resolve()
	steps := Load(Param("steps"), GP64())
	froms := Load(Param("at"), GP64())
	at := func(k int) Mem { return Mem{Base: steps, Disp: stepBytes*k + 4} }
	next := GP64()
	for k := range streams {
		MOVQ(Mem{Base: froms, Disp: 8 * k}, next)
		MOVL(next.As32(), at(k))
	}
	keep, salts, factor, spread := ZMM(), ZMM(), ZMM(), ZMM()
	constants, multiplier := GP64(), GP64()
	LEAQ(byLength, constants)
	MOVQ(U64(hashFactor), multiplier)
	VMOVDQU64(Mem{Base: constants}, keep)
	VMOVDQU64(Mem{Base: constants, Disp: 8 * maxPhrase}, salts)
	VPBROADCASTQ(multiplier, factor)
	VBROADCASTI64X2(tags, spread)

	every := K()
	KXNORB(every, every, every)
	found := ZMM()
	VPXORQ(found, found, found)
	stream := GP64()
	Label("more")
	MOVQ(U32(streams), stream)
	Label("stream")
	here := GP64()
	MOVL(at(0), here.As32())
	number512, hash, slot, tag := ZMM(), ZMM(), ZMM(), ZMM()
	all, hits := K(), K()
	VPBROADCASTQ(Mem{Base: text, Index: here, Scale: 1}, number512)
	VPANDQ(keep, number512, number512)
	VPXORQ(salts, number512, hash)
	VPMULLQ(factor, hash, hash)
	VPSRLQ(U8(64-bucketBits), hash, slot)
	KMOVB(every, all)
	VPXORQ(found, found, found)
	VPGATHERQQ(Mem{Base: buckets, Index: slot, Scale: 8}, all, found)
	VPSHUFB(spread, hash, tag)
	VPCMPEQW(tag, found, hits)
	hit, lane, e := GP64(), GP64(), GP64()
	Label("pick")
	KMOVD(hits, hit.As32())
	BSRL(hit.As32(), hit.As32())
	MOVL(hit.As32(), lane.As32())
	SHRL(U8(2), lane.As32())
	number := GP64()
	MOVQ(Mem{Base: text, Index: here, Scale: 1}, number)
	ANDQ(Mem{Base: constants, Index: lane, Scale: 8}, number)
	MOVQ(Mem{Base: constants, Index: lane, Scale: 8, Disp: 64}, e)
	XORQ(number, e)
	IMULQ(multiplier, e)
	SHRQ(U8(64-bucketBits), e)
	MOVWLZX(Mem{Base: first, Index: e, Scale: 2}, e.As32())
	SHLL(U8(1), hit.As32())
	ANDL(U8(6), hit.As32())
	ADDL(hit.As32(), e.As32())
	CMPQ(number, Mem{Base: entries, Index: e, Scale: 8})
	JNE(LabelRef("wrong"))
	CMPB(lane.As8(), Mem{Base: entries, Index: e, Scale: 8, Disp: 8 + 3})
	JNE(LabelRef("wrong"))
	MOVL(Mem{Base: entries, Index: e, Scale: 8, Disp: 8}, e.As32())
	MOVL(e.As32(), Mem{Base: steps})
	LEAQ(Mem{Base: here, Index: lane, Scale: 1, Disp: 1}, next)
	CMPQ(next, limit.Addr)
	CMOVQGT(limit.Addr, next)
	MOVL(next.As32(), at(streams))
	ADDQ(I8(stepBytes), steps)
	DECQ(stream)
	JNZ(LabelRef("stream"))
	end := GP64()
	Load(Param("end"), end)
	for k := range streams {
		MOVL(at(k), next.As32())
		CMPQ(next, Mem{Base: end, Disp: 8 * k})
		JLT(LabelRef("more"))
	}
	begun := Load(Param("steps"), GP64())
	SUBQ(begun, steps)
	SHRQ(U8(bits.Len(stepBytes-1)), steps)
	Store(steps, ReturnIndex(0))
	VZEROUPPER()
	RET()

	Label("wrong")
	KMOVD(hits, hit.As32())
	BSRL(hit.As32(), lane.As32())
	BTRL(lane.As32(), hit.As32())
	KMOVD(hit.As32(), hits)
	JMP(LabelRef("pick"))
}

// candidate says where a text may repeat itself.
func candidate() {
	TEXT("candidateBMI", NOSPLIT, "func(text *byte, last *uint16, shift uint64, steps *uint64, n int) (passed int, first int)")
	Pragma("noescape")
	doc(`candidateBMI is candidatePlain of n steps, one at least.
Measured: what a text repeats is found 2 times as fast as in Go.`)
	text, last := Load(Param("text"), GP64()), Load(Param("last"), GP64())
	shift, steps := Load(Param("shift"), GP64()), Load(Param("steps"), GP64())
	n, passed := Load(Param("n"), GP64()), GP64()
	factor := GP64()
	MOVQ(U64(hashFactor), factor)
	XORQ(passed, passed)
	Label("step")
	at, v, h, first := GP64(), GP64(), GP64(), GP64()
	MOVL(Mem{Base: steps, Index: passed, Scale: stepBytes, Disp: 4}, at.As32())
	MOVQ(Mem{Base: text, Index: at, Scale: 1}, v)
	MOVQ(v, h)
	IMULQ(factor, h)
	SHRXQ(shift, h, h)
	MOVWLZX(Mem{Base: last, Index: h, Scale: 2}, first.As32())
	MOVW(at.As16(), Mem{Base: last, Index: h, Scale: 2})
	CMPQ(v, Mem{Base: text, Index: first, Scale: 1})
	JEQ(LabelRef("found"))
	INCQ(passed)
	CMPQ(passed, n)
	JLT(LabelRef("step"))
	Label("found")
	Store(passed, ReturnIndex(0))
	Store(first, ReturnIndex(1))
	RET()
}

// write writes three codes at a time: they and what is left of a byte fit into a word.
func write() {
	TEXT("writeBMI", NOSPLIT, "func(out *byte, steps *uint64, threes int, held uint64, bits uint64) (written int, heldAfter uint64, bitsAfter uint64)")
	Pragma("noescape")
	doc(`writeBMI writes the codes of three times as many steps, one time at least, behind bits that
are held, less than 8. Up to 7 bytes more are written over.
Measured: 1.5 times as fast as Go.`)
	out, steps := Load(Param("out"), GP64()), Load(Param("steps"), GP64())
	left := Load(Param("threes"), GP64())
	held, n := Load(Param("held"), GP64()), Load(Param("bits"), GP64())
	Label("three")
	for k := range 3 {
		code, length := GP64(), GP64()
		MOVL(Mem{Base: steps, Disp: stepBytes * k}, code.As32())
		MOVL(code.As32(), length.As32())
		ANDL(U8(15), length.As32())
		SHLL(U8(32-valueBits), code.As32())
		SHRL(U8(32-valueBits+4), code.As32())
		SHLXQ(n, code, code)
		ORQ(code, held)
		ADDQ(length, n)
	}
	MOVQ(held, Mem{Base: out})
	whole, bytes := GP64(), GP64()
	MOVQ(n, bytes)
	SHRQ(U8(3), bytes)
	ADDQ(bytes, out)
	MOVQ(n, whole)
	ANDQ(I8(^7), whole)
	SHRXQ(whole, held, held)
	ANDQ(U8(7), n)
	ADDQ(U8(3*stepBytes), steps)
	DECQ(left)
	JNZ(LabelRef("three"))
	begun := Load(Param("out"), GP64())
	SUBQ(begun, out)
	Store(out, ReturnIndex(0))
	Store(held, ReturnIndex(1))
	Store(n, ReturnIndex(2))
	RET()
}
