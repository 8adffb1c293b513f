// Command bag writes the assembly that ends the sorting of hashes and counts
// equal ones, for AVX-512. It is run by
// make asm.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

const (
	notEqual = 4 // predicates of VPCMPUQ
	greater  = 6
)

func main() {
	ConstraintExpr("amd64")
	partition()
	distribute()
	settle()
	descent()
	collapse()
	Generate()
}

// partition compresses the hashes without the bit to where they came from, and
// those with it elsewhere. A store of eight never reaches what is still to be
// read, as no more are written than were read.
func partition() {
	TEXT("partition512", NOSPLIT, "func(low, high *uint64, n int, bit uint64) int")
	Pragma("noescape")
	Doc("partition512 moves those of n hashes that have the bit to high, which has room for n, and the others to the front. It returns how many those are.", "Measured with distribute512.")
	low, high := Load(Param("low"), GP64()), Load(Param("high"), GP64())
	n := Load(Param("n"), GP64())
	bit, x, part := ZMM(), ZMM(), ZMM()
	VPBROADCASTQ(Load(Param("bit"), GP64()), bit)
	p, to, bits := GP64(), GP64(), GP64()
	MOVQ(low, p)
	MOVQ(low, to)
	has, not := K(), K()

	Label("eight")
	CMPQ(n, U8(8))
	JL(LabelRef("rest"))
	VMOVDQU64(Mem{Base: p}, x)
	VPTESTMQ(bit, x, has)
	KNOTB(has, not)
	VPCOMPRESSQ_Z(x, not, part)
	VMOVDQU64(part, Mem{Base: to})
	VPCOMPRESSQ_Z(x, has, part)
	VMOVDQU64(part, Mem{Base: high})
	KMOVB(has, bits.As32())
	POPCNTL(bits.As32(), bits.As32())
	LEAQ(Mem{Base: high, Index: bits, Scale: 8}, high)
	NEGQ(bits)
	LEAQ(Mem{Base: to, Index: bits, Scale: 8, Disp: 64}, to)
	ADDQ(U8(64), p)
	SUBQ(U8(8), n)
	JMP(LabelRef("eight"))

	Label("rest")
	mask := first(n)
	VMOVDQU64_Z(Mem{Base: p}, mask, x)
	VPTESTMQ(bit, x, mask, has)
	VPTESTNMQ(bit, x, mask, not)
	VPCOMPRESSQ(x, not, Mem{Base: to})
	VPCOMPRESSQ(x, has, Mem{Base: high})
	KMOVB(not, bits.As32())
	POPCNTL(bits.As32(), bits.As32())
	LEAQ(Mem{Base: to, Index: bits, Scale: 8}, to)
	SUBQ(low, to)
	SHRQ(U8(3), to)
	Store(to, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// distribute counts the digits, sums the counts and moves the hashes. The rank
// of a hash among those of its digit is kept, so that nothing that is read while
// the hashes move is written then: the processor would wait, now and then for
// the whole text, until it knows that no hash went where a count is.
//
// The sums within a register are those of it and itself moved by 1, 2, 4 and 8
// lanes.
func distribute() {
	TEXT("distribute512", NOSPLIT, "func(to, from *uint64, n int, ranks *uint16, first *uint32, digits, lowest, shift int)")
	Pragma("noescape")
	Doc("distribute512 is distribute of n hashes, 0 < n < 65536; digits, a multiple of 16, is how many there are above shift, from the lowest on.", "Measured with the other kernels of a bag: 1.2 to 1.8 times as fast as Go.")
	from, n := Load(Param("from"), GP64()), Load(Param("n"), GP64())
	first, digits := Load(Param("first"), GP64()), Load(Param("digits"), GP64())
	shift := Load(Param("shift"), GP64())

	zero, before, last := ZMM(), ZMM(), ZMM()
	VPXORQ(zero, zero, zero)
	p, left := GP64(), GP64()
	LEAQ(Mem{Base: first, Index: digits, Scale: 4}, p)
	MOVQ(digits, left)
	NEGQ(left)
	Label("clear")
	VMOVDQU32(zero, Mem{Base: p, Index: left, Scale: 4})
	ADDQ(U8(16), left)
	JNZ(LabelRef("clear"))

	ranks := Load(Param("ranks"), GP64())
	LEAQ(Mem{Base: from, Index: n, Scale: 8}, from)
	LEAQ(Mem{Base: ranks, Index: n, Scale: 2}, ranks)
	NEGQ(n)
	digit, rank := GP64(), GP64()
	lowest := Load(Param("lowest"), GP64())
	SHLQ(U8(2), lowest)
	SUBQ(lowest, first)
	MOVQ(n, left)
	Label("count")
	SHRXQ(shift, Mem{Base: from, Index: left, Scale: 8}, digit)
	MOVL(Mem{Base: first, Index: digit, Scale: 4}, rank.As32())
	MOVW(rank.As16(), Mem{Base: ranks, Index: left, Scale: 2})
	INCL(rank.As32())
	MOVL(rank.As32(), Mem{Base: first, Index: digit, Scale: 4})
	INCQ(left)
	JNZ(LabelRef("count"))

	VPXORQ(before, before, before)
	lane := GP32()
	MOVL(U32(15), lane)
	VPBROADCASTD(lane, last)
	MOVQ(digits, left)
	NEGQ(left)
	Label("sum")
	counts, sum, moved := ZMM(), ZMM(), ZMM()
	VMOVDQU32(Mem{Base: p, Index: left, Scale: 4}, counts)
	VALIGND(U8(15), zero, counts, moved)
	VPADDD(moved, counts, sum)
	for _, by := range []int{2, 4, 8} {
		VALIGND(U8(16-by), zero, sum, moved)
		VPADDD(moved, sum, sum)
	}
	VPSUBD(counts, before, counts)
	VPADDD(sum, counts, counts)
	VMOVDQU32(counts, Mem{Base: p, Index: left, Scale: 4})
	VPERMD(sum, last, sum)
	VPADDD(sum, before, before)
	ADDQ(U8(16), left)
	JNZ(LabelRef("sum"))

	to := Load(Param("to"), GP64())
	h := GP64()
	Label("move")
	MOVQ(Mem{Base: from, Index: n, Scale: 8}, h)
	SHRXQ(shift, h, digit)
	MOVWLZX(Mem{Base: ranks, Index: n, Scale: 2}, rank.As32())
	ADDL(Mem{Base: first, Index: digit, Scale: 4}, rank.As32())
	MOVQ(h, Mem{Base: to, Index: rank, Scale: 8})
	INCQ(n)
	JNZ(LabelRef("move"))
	VZEROUPPER()
	RET()
}

// settle swaps neighbours that are out of order, pairs that begin at an even
// place and those that begin at an odd one in turn; the last few hashes it may
// leave.
func settle() {
	TEXT("settle512", NOSPLIT, "func(hashes *uint64, n, rounds int)")
	Pragma("noescape")
	Doc("settle512 swaps neighbours that are out of order among n > 0 hashes, in some rounds.", "Measured with distribute512.")
	p, n, rounds := Load(Param("hashes"), GP64()), Load(Param("n"), GP64()), Load(Param("rounds"), GP64())
	odd, bits := K(), GP32()
	MOVL(U32(0xaa), bits)
	KMOVB(bits, odd)
	DECQ(n)
	ANDQ(I32(-8), n)
	LEAQ(Mem{Base: p, Index: n, Scale: 8}, p)
	NEGQ(n)
	JZ(LabelRef("done"))
	left := GP64()
	Label("round")
	for i := range 2 {
		l := []string{"even", "odd"}[i]
		MOVQ(n, left)
		Label(l)
		x, y, low := ZMM(), ZMM(), ZMM()
		VMOVDQU64(Mem{Base: p, Index: left, Scale: 8, Disp: 8 * i}, x)
		VPSHUFD(U8(0x4e), x, y)
		VPMINUQ(y, x, low)
		VPMAXUQ(y, x, odd, low)
		VMOVDQU64(low, Mem{Base: p, Index: left, Scale: 8, Disp: 8 * i})
		ADDQ(U8(8), left)
		JNZ(LabelRef(l))
	}
	DECQ(rounds)
	JNZ(LabelRef("round"))
	Label("done")
	VZEROUPPER()
	RET()
}

// first sets the lowest n bits of a mask; n is at most 8.
func first(n Register) Register {
	ones, k := GP32(), K()
	MOVL(U32(0xff), ones)
	BZHIL(n.(GPVirtual).As32(), ones, ones)
	KMOVB(ones, k)
	return k
}

func descent() {
	TEXT("descent512", NOSPLIT, "func(hashes *uint64, n int) int")
	Pragma("noescape")
	Doc("descent512 returns the first i < n with hashes[i] > hashes[i+1], or else n; there are n+1 hashes.", "Measured with distribute512.")
	p, n := Load(Param("hashes"), GP64()), Load(Param("n"), GP64())
	at, left := GP64(), GP64()
	XORQ(at, at)
	found := K()
	bits := GP32()

	Label("look")
	MOVQ(n, left)
	SUBQ(at, left)
	CMPQ(left, U8(8))
	JLT(LabelRef("few"))
	x := ZMM()
	VMOVDQU64(Mem{Base: p, Index: at, Scale: 8}, x)
	VPCMPUQ(U8(greater), Mem{Base: p, Index: at, Scale: 8, Disp: 8}, x, found)
	KORTESTB(found, found)
	JNZ(LabelRef("found"))
	ADDQ(U8(8), at)
	JMP(LabelRef("look"))

	Label("few")
	mask := first(left)
	VMOVDQU64_Z(Mem{Base: p, Index: at, Scale: 8}, mask, x)
	y := ZMM()
	VMOVDQU64_Z(Mem{Base: p, Index: at, Scale: 8, Disp: 8}, mask, y)
	VPCMPUQ(U8(greater), y, x, mask, found)
	KORTESTB(found, found)
	JNZ(LabelRef("found"))
	Store(n, ReturnIndex(0))
	VZEROUPPER()
	RET()

	Label("found")
	KMOVB(found, bits)
	TZCNTL(bits, bits)
	ADDQ(bits.As64(), at)
	Store(at, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// collapse compresses the hashes that differ from the next one, and the ends of
// their runs. Then the differences of the ends are the counts. A store of eight
// never reaches what is still to be read, as no more are written than were read.
func collapse() {
	TEXT("collapse512", NOSPLIT, "func(hashes *uint64, n int, counts *uint32) int")
	Pragma("noescape")
	Doc("collapse512 is collapse of n > 0 hashes; there are n counts.", "Measured with distribute512.")
	p, n, ends := Load(Param("hashes"), GP64()), Load(Param("n"), GP64()), Load(Param("counts"), GP64())
	to := GP64()
	MOVQ(p, to)
	eight, lanes := GP32(), GP64()
	end, step := YMM(), YMM()
	MOVL(U32(8), eight)
	VPBROADCASTD(eight, step)
	MOVQ(U64(0x0807060504030201), lanes)
	VMOVQ(lanes, end.AsX())
	VPMOVZXBD(end.AsX(), end)
	x, y, z := ZMM(), YMM(), ZMM()
	differ := K()
	bits := GP64()
	advance := func() {
		KMOVB(differ, bits.As32())
		POPCNTL(bits.As32(), bits.As32())
		LEAQ(Mem{Base: to, Index: bits, Scale: 8}, to)
		LEAQ(Mem{Base: ends, Index: bits, Scale: 4}, ends)
	}

	Label("collapse")
	CMPQ(n, U8(8))
	JLE(LabelRef("rest"))
	VMOVDQU64(Mem{Base: p}, x)
	VPCMPUQ(U8(notEqual), Mem{Base: p, Disp: 8}, x, differ)
	VPCOMPRESSQ_Z(x, differ, x)
	VPCOMPRESSD_Z(end, differ, y)
	VMOVDQU64(x, Mem{Base: to})
	VMOVDQU32(y, Mem{Base: ends})
	advance()
	VPADDD(step, end, end)
	ADDQ(U8(64), p)
	SUBQ(U8(8), n)
	JMP(LabelRef("collapse"))

	Label("rest")
	all := first(n)
	DECQ(n)
	others := first(n)
	VMOVDQU64_Z(Mem{Base: p}, all, x)
	VMOVDQU64_Z(Mem{Base: p, Disp: 8}, others, z)
	VPCMPUQ(U8(notEqual), z, x, others, differ)
	KANDNB(all, others, others) // the last one ends a run
	KORB(others, differ, differ)
	VPCOMPRESSQ(x, differ, Mem{Base: to})
	VPCOMPRESSD(end, differ, Mem{Base: ends})
	advance()

	members := GP64()
	MOVQ(to, members)
	SUBQ(Load(Param("hashes"), GP64()), members)
	SHRQ(U8(3), members)
	Store(members, ReturnIndex(0))

	Load(Param("counts"), ends)
	before, moved := YMM(), YMM()
	VPXOR(before, before, before)
	Label("subtract")
	CMPQ(members, U8(8))
	JL(LabelRef("last"))
	VMOVDQU32(Mem{Base: ends}, end)
	VALIGND(U8(7), before, end, moved)
	VMOVDQA64(end, before)
	VPSUBD(moved, end, moved)
	VMOVDQU32(moved, Mem{Base: ends})
	ADDQ(U8(32), ends)
	SUBQ(U8(8), members)
	JMP(LabelRef("subtract"))

	Label("last")
	all = first(members)
	VMOVDQU32_Z(Mem{Base: ends}, all, end)
	VALIGND(U8(7), before, end, moved)
	VPSUBD(moved, end, moved)
	VMOVDQU32(moved, all, Mem{Base: ends})
	VZEROUPPER()
	RET()
}
