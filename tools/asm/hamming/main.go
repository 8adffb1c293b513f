// Hamming generates the kernels of package sketch that count differing bits,
// for AVX2 and for AVX-512 with VPOPCNTQ. It is run by
// make asm.
package main

import (
	"fmt"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	mask512("maskAVX512", "*uint64")
	mask512("maskBytesAVX512", "*byte")
	arrays512()
	manyArrays512()
	pairs512()
	distance512()
	ahead512()
	c := newCounter
	mask2("maskAVX2", "*uint64", c)
	mask2("maskBytesAVX2", "*byte", c)
	pairs2(c)
	distance2(c)
	ahead2(c)
	Generate()
}

// doc documents a function in the lines of s.
func doc(s string) { Doc(strings.Split(s, "\n")...) }

const maskDoc = " sets bit i of near where hash i is within dist bits of q, for groups of 8 hashes."

func mask512(name, of string) {
	TEXT(name, NOSPLIT, fmt.Sprintf("func(near *uint64, hashes %s, groups int, q uint64, dist int)", of))
	Pragma("noescape")
	doc(name + maskDoc)
	near, hashes := Load(Param("near"), GP64()), Load(Param("hashes"), GP64())
	groups := Load(Param("groups"), GP64())
	q, dist := ZMM(), ZMM()
	VPBROADCASTQ(NewParamAddr("q", 24), q)
	VPBROADCASTQ(NewParamAddr("dist", 32), dist)
	one := func(i int) {
		x, k := ZMM(), K()
		VPXORQ(Mem{Base: hashes, Disp: 64 * i}, q, x)
		VPOPCNTQ(x, x)
		VPCMPUQ(Imm(2), dist, x, k) // at most
		KMOVB(k, Mem{Base: near, Disp: i})
	}
	const unrolled = 8
	Label("eight")
	CMPQ(groups, Imm(unrolled))
	JB(LabelRef("rest"))
	for i := range unrolled {
		one(i)
	}
	ADDQ(U32(64*unrolled), hashes)
	ADDQ(Imm(unrolled), near)
	SUBQ(Imm(unrolled), groups)
	JMP(LabelRef("eight"))
	Label("rest")
	TESTQ(groups, groups)
	JZ(LabelRef("done"))
	one(0)
	ADDQ(Imm(64), hashes)
	INCQ(near)
	DECQ(groups)
	JMP(LabelRef("rest"))
	Label("done")
	VZEROUPPER()
	RET()
}

// Arrays of arrayHashes are read side by side: one core waits for memory a third
// less with four places where it reads on than with one.
const (
	arrays      = 4
	arrayHashes = 1024
	rowBytes    = arrayHashes / 8
)

// loadArrays returns pointers to the arrays.
func loadArrays() (all [arrays]Register) {
	hashes := Load(Param("hashes"), GP64())
	for a := range all {
		all[a] = GP64()
		MOVQ(Mem{Base: hashes, Disp: 8 * a}, all[a])
	}
	return all
}

// storeRows returns a bit for each row of near that is not all 0.
func storeRows(near Register, rows int) {
	all, bit, none := GP32(), GP32(), GP32()
	XORL(all, all)
	XORL(none, none)
	for r := range rows {
		x, k := ZMM(), K()
		VMOVDQU64(Mem{Base: near, Disp: r * rowBytes}, x)
		VPORQ(Mem{Base: near, Disp: r*rowBytes + 64}, x, x)
		VPTESTMQ(x, x, k)
		MOVL(U32(1<<r), bit)
		KORTESTB(k, k)
		CMOVLEQ(none, bit)
		ORL(bit, all)
	}
	Store(all, Return("rows"))
	VZEROUPPER()
	RET()
}

func arrays512() {
	TEXT("arraysAVX512", NOSPLIT, "func(near *[4][16]uint64, hashes *[4]*[1024]uint64, q uint64, dist int) (rows uint32)")
	Pragma("noescape")
	doc("arraysAVX512 is maskAVX512 for four arrays, which are read side by side. rows tells in which there are any.")
	near, at := Load(Param("near"), GP64()), loadArrays()
	q, dist := ZMM(), ZMM()
	VPBROADCASTQ(NewParamAddr("q", 16), q)
	VPBROADCASTQ(NewParamAddr("dist", 24), dist)
	group, x := GP64(), GP64()
	XORQ(group, group)
	Label("groups")
	const unrolled = 2
	MOVQ(group, x)
	SHLQ(Imm(6), x)
	for i := range unrolled {
		for a := range at {
			d, k := ZMM(), K()
			VPXORQ(Mem{Base: at[a], Index: x, Scale: 1, Disp: 64 * i}, q, d)
			VPOPCNTQ(d, d)
			VPCMPUQ(Imm(2), dist, d, k) // at most
			KMOVB(k, Mem{Base: near, Index: group, Scale: 1, Disp: a*rowBytes + i})
		}
	}
	ADDQ(Imm(unrolled), group)
	CMPQ(group, Imm(arrayHashes/8))
	JB(LabelRef("groups"))
	storeRows(near, arrays)
}

func manyArrays512() {
	TEXT("manyArraysAVX512", NOSPLIT, "func(near *[4][8][16]uint64, hashes *[4]*[1024]uint64, qs *[8]uint64, dist int) (rows uint32)")
	Pragma("noescape")
	doc("manyArraysAVX512 is arraysAVX512 for eight q.")
	near, at := Load(Param("near"), GP64()), loadArrays()
	qs, dist := Load(Param("qs"), GP64()), ZMM()
	VPBROADCASTQ(NewParamAddr("dist", 24), dist)
	var q [8]VecVirtual
	for i := range q {
		q[i] = ZMM()
		VPBROADCASTQ(Mem{Base: qs, Disp: 8 * i}, q[i])
	}
	group, x := GP64(), GP64()
	XORQ(group, group)
	Label("groups")
	MOVQ(group, x)
	SHLQ(Imm(6), x)
	for a := range at {
		y := ZMM()
		VMOVDQU64(Mem{Base: at[a], Index: x, Scale: 1}, y)
		for i := range q {
			d, k := ZMM(), K()
			VPXORQ(y, q[i], d)
			VPOPCNTQ(d, d)
			VPCMPUQ(Imm(2), dist, d, k)
			KMOVB(k, Mem{Base: near, Index: group, Scale: 1, Disp: (a*len(q) + i) * rowBytes})
		}
	}
	INCQ(group)
	CMPQ(group, Imm(arrayHashes/8))
	JB(LabelRef("groups"))
	storeRows(near, arrays*len(q))
}

const pairsDoc = `compares the nx hashes at xs with groups of 8 at ys. Where hash i of xs is
within dist bits of some of group j it writes i<<40 | j<<8 | a bit for each of these to found;
n counts them. Of a triangle, whose ys are xs, it compares i with what stands behind it alone.`

func pairs512() {
	TEXT("pairsAVX512", NOSPLIT, "func(found *uint64, xs *uint64, nx int, ys *uint64, groups int, dist int, triangle bool) (n int)")
	Pragma("noescape")
	doc("pairsAVX512 " + pairsDoc)
	p := loadPairs()
	dist := ZMM()
	VPBROADCASTQ(NewParamAddr("dist", 40), dist)
	y := ZMM()
	p.loop(
		func() { VMOVDQU64(Mem{Base: p.ys}, y) },
		func(x Mem, diagonal int) Register {
			d, k, bits := ZMM(), K(), GP32()
			VPXORQ_BCST(x, y, d)
			VPOPCNTQ(d, d)
			VPCMPUQ(Imm(2), dist, d, k)
			KMOVB(k, bits)
			if diagonal >= 0 {
				ANDL(U32(uint32(0xfe)<<diagonal&0xff), bits)
			} else {
				TESTL(bits, bits)
			}
			return bits.As64()
		})
}

// pairing is the loops of a pairs kernel, without the arithmetic.
type pairing struct {
	found, start, xs, nx, ys, groups, triangle Register
	group                                      Register // number<<8
}

func loadPairs() *pairing {
	p := &pairing{
		found: Load(Param("found"), GP64()), xs: Load(Param("xs"), GP64()), nx: Load(Param("nx"), GP64()),
		ys: Load(Param("ys"), GP64()), groups: Load(Param("groups"), GP64()), triangle: GP64(),
	}
	b := GP8()
	Load(Param("triangle"), b)
	MOVBQZX(b, p.triangle)
	start := GP64()
	MOVQ(p.found, start)
	p.start = start
	return p
}

// loop goes through the groups, and for each through xs: of a triangle up to the
// group itself, in which hash i is compared with those behind it.
func (p *pairing) loop(load func(), compare func(x Mem, diagonal int) Register) {
	group, at, x, left := GP64(), GP64(), GP64(), GP64()
	XORQ(group, group)
	next := GP64()
	MOVQ(U64(1<<40), next)
	Label("group")
	TESTQ(p.groups, p.groups)
	JZ(LabelRef("done"))
	load()
	MOVQ(p.xs, x)
	MOVQ(group, at) // i<<40 | group<<8
	MOVQ(p.nx, left)
	TESTQ(p.triangle, p.triangle)
	JZ(LabelRef("xs"))
	MOVQ(group, left) // 8 for each group before
	SHRQ(Imm(5), left)
	n := 0
	emit := func(bits Register) {
		n++
		none := fmt.Sprintf("none%d", n)
		JZ(LabelRef(none))
		ORQ(at, bits)
		MOVQ(bits, Mem{Base: p.found})
		ADDQ(Imm(8), p.found)
		Label(none)
		ADDQ(next, at)
	}
	one := func(i, diagonal int) { emit(compare(Mem{Base: x, Disp: 8 * i}, diagonal)) }
	Label("xs")
	const unrolled = 4
	Label("four")
	CMPQ(left, Imm(unrolled))
	JB(LabelRef("rest"))
	for i := range unrolled {
		one(i, -1)
	}
	ADDQ(Imm(8*unrolled), x)
	SUBQ(Imm(unrolled), left)
	JMP(LabelRef("four"))
	Label("rest")
	TESTQ(left, left)
	JZ(LabelRef("diagonal"))
	one(0, -1)
	ADDQ(Imm(8), x)
	DECQ(left)
	JMP(LabelRef("rest"))
	Label("diagonal")
	TESTQ(p.triangle, p.triangle)
	JZ(LabelRef("next"))
	for i := range 7 {
		one(i, i)
	}
	Label("next")
	ADDQ(Imm(64), p.ys)
	ADDQ(U32(1<<8), group)
	DECQ(p.groups)
	JMP(LabelRef("group"))
	Label("done")
	SUBQ(p.start, p.found)
	SHRQ(Imm(3), p.found)
	Store(p.found.(GPVirtual), Return("n"))
	VZEROUPPER()
	RET()
}

const distanceDoc = ` counts the bits in which n words at a differ from m at b, a multiple of n,
folded to n by XOR; n is a multiple of 8.`

// distance writes the loops: for each step of n the words of a, and of b all
// that fall on them.
func distance(step int, load func(a Mem), fold func(b Mem), add, sum func()) {
	a, b := Load(Param("a"), GP64()), Load(Param("b"), GP64())
	n, m := Load(Param("n"), GP64()), Load(Param("m"), GP64())
	SHLQ(Imm(3), n)
	SHLQ(Imm(3), m)
	i, j := GP64(), GP64()
	XORQ(i, i)
	Label("words")
	load(Mem{Base: a, Index: i, Scale: 1})
	MOVQ(i, j)
	Label("folds")
	fold(Mem{Base: b, Index: j, Scale: 1})
	ADDQ(n, j)
	CMPQ(j, m)
	JB(LabelRef("folds"))
	add()
	ADDQ(U32(uint32(8*step)), i)
	CMPQ(i, n)
	JB(LabelRef("words"))
	sum()
	VZEROUPPER()
	RET()
}

// sumYMM returns the sum of the four words of y as the result.
func sumYMM(y VecVirtual) {
	x := XMM()
	VEXTRACTI128(Imm(1), y, x)
	VPADDQ(x, y.AsX(), x)
	hi := XMM()
	VPSHUFD(Imm(0xee), x, hi)
	VPADDQ(hi, x, x)
	r := GP64()
	VMOVQ(x, r)
	Store(r, ReturnIndex(0))
}

func distance512() {
	TEXT("distanceAVX512", NOSPLIT, "func(a, b *uint64, n, m int) int")
	Pragma("noescape")
	doc("distanceAVX512" + distanceDoc)
	x, sum := ZMM(), ZMM()
	VPXORQ(sum, sum, sum)
	distance(8,
		func(a Mem) { VMOVDQU64(a, x) },
		func(b Mem) { VPXORQ(b, x, x) },
		func() { VPOPCNTQ(x, x); VPADDQ(x, sum, sum) },
		func() {
			y := YMM()
			VEXTRACTI64X4(Imm(1), sum, y)
			VPADDQ(sum.AsY(), y, y)
			sumYMM(y)
		})
}

// counter counts bits where there is no instruction for it: of each half byte
// by a table.
type counter struct{ table, low, zero VecVirtual }

var nibbles, lows Mem

func newCounter() counter {
	if nibbles.Symbol.Name == "" {
		nibbles = GLOBL("nibbles", RODATA|NOPTR)
		for i := range 4 {
			DATA(8*i, U64([]uint64{0x0302020102010100, 0x0403030203020201}[i%2]))
		}
	}
	c := counter{YMM(), YMM(), YMM()}
	VMOVDQU(nibbles, c.table)
	b := GP32()
	MOVL(U32(0x0f0f0f0f), b)
	VMOVD(b, c.low.AsX())
	VPBROADCASTD(c.low.AsX(), c.low)
	VPXOR(c.zero, c.zero, c.zero)
	return c
}

// count puts the count of bits of each word of x in its place.
func (c counter) count(x VecVirtual) {
	c.countBytes(x)
	VPSADBW(c.zero, x, x)
}

// countBytes puts the count of bits of each byte of x in its place.
func (c counter) countBytes(x VecVirtual) {
	high := YMM()
	VPSRLW(Imm(4), x, high)
	VPAND(c.low, x, x)
	VPAND(c.low, high, high)
	VPSHUFB(x, c.table, x)
	VPSHUFB(high, c.table, high)
	VPADDB(x, high, x)
}

// near returns a bit for each of 8 words where a and b, counted, are below limit.
func (c counter) near(a, b, limit VecVirtual) GPVirtual {
	c.count(a)
	c.count(b)
	VPCMPGTQ(a, limit, a)
	VPCMPGTQ(b, limit, b)
	low, high := GP32(), GP32()
	VMOVMSKPD(a, low)
	VMOVMSKPD(b, high)
	SHLL(Imm(4), high)
	ORL(low, high)
	return high
}

func mask2(name, of string, constants func() counter) {
	TEXT(name, NOSPLIT, fmt.Sprintf("func(near *uint64, hashes %s, groups int, q uint64, dist int)", of))
	Pragma("noescape")
	doc(name + maskDoc)
	near, hashes := Load(Param("near"), GP64()), Load(Param("hashes"), GP64())
	groups := Load(Param("groups"), GP64())
	q, limit := YMM(), YMM()
	VPBROADCASTQ(NewParamAddr("q", 24), q)
	limitOf("dist", limit)
	c := constants()
	Label("rest")
	TESTQ(groups, groups)
	JZ(LabelRef("done"))
	a, b := YMM(), YMM()
	VPXOR(Mem{Base: hashes}, q, a)
	VPXOR(Mem{Base: hashes, Disp: 32}, q, b)
	bits := c.near(a, b, limit)
	MOVB(bits.As8(), Mem{Base: near})
	ADDQ(Imm(64), hashes)
	INCQ(near)
	DECQ(groups)
	JMP(LabelRef("rest"))
	Label("done")
	VZEROUPPER()
	RET()
}

const aheadDoc = `compares each word [from, to) of each range with the 16 words from the by-th
behind it on. Where word i is within dist bits of mask of some of those from word j on it writes i, j
and a bit for each of them to found; n counts them.`

const aheadFunc = "func(found *uint32, words *uint32, ranges *uint32, count int, mask uint32, dist int) (n int)"

const (
	hitBytes   = 12
	aheadBytes = 12
)

// aheading is the loops of an ahead kernel: store writes a bit for each of the 16
// words at y that is near to the one at x. Hits are looked for when there are
// some words' bits, for a branch at each word would often be foretold wrong.
func aheading(unrolled int, store func(near, x, y Mem)) {
	const words, some = 128, 16 // whose bits are stored, and looked at, at a time
	found, base := Load(Param("found"), GP64()), Load(Param("words"), GP64())
	ranges := Load(Param("ranges"), GP64())
	near, left, to := AllocLocal(2*(words+some)), AllocLocal(8), AllocLocal(8)
	n, i, j := GP64(), GP64(), GP64()
	MOVQ(Load(Param("count"), n), left)
	XORQ(n, n)
	Label("range")
	SUBQ(Imm(1), left)
	JB(LabelRef("done"))
	MOVL(Mem{Base: ranges, Disp: 4}, i.As32())
	MOVQ(i, to)
	MOVL(Mem{Base: ranges}, i.As32())
	MOVL(Mem{Base: ranges, Disp: 8}, j.As32())
	ADDQ(i, j)
	ADDQ(Imm(aheadBytes), ranges)

	Label("words")
	m, most := GP64(), GP64()
	MOVQ(to, m)
	SUBQ(i, m)
	JBE(LabelRef("range"))
	MOVQ(U32(words), most)
	CMPQ(m, most)
	CMOVQHI(most, m)
	x, y, at := GP64(), GP64(), GP64()
	LEAQ(Mem{Base: base, Index: i, Scale: 4}, x)
	LEAQ(Mem{Base: base, Index: j, Scale: 4}, y)
	XORQ(at, at)
	one := func(k int) {
		bits := near.Idx(at, 2).Offset(2 * k)
		store(bits, Mem{Base: x, Index: at, Scale: 4, Disp: 4 * k}, Mem{Base: y, Index: at, Scale: 4, Disp: 4 * k})
	}
	end := GP64()
	Label("several")
	LEAQ(Mem{Base: at, Disp: unrolled}, end)
	CMPQ(end, m)
	JA(LabelRef("rest"))
	for k := range unrolled {
		one(k)
	}
	MOVQ(end, at)
	JMP(LabelRef("several"))
	Label("rest")
	CMPQ(at, m)
	JAE(LabelRef("look"))
	one(0)
	INCQ(at)
	JMP(LabelRef("rest"))

	Label("look")
	zero, bits, hits := YMM(), YMM(), GP32()
	VPXOR(zero, zero, zero)
	VMOVDQU(zero, near.Idx(at, 2))
	XORQ(at, at)
	Label("some")
	VPCMPEQW(near.Idx(at, 2), zero, bits)
	VPMOVMSKB(bits, hits)
	XORL(U32(0xffffffff), hits)
	JZ(LabelRef("none"))
	Label("hit")
	k, word := GP64(), GP64()
	BSFL(hits, k.As32())
	SHRL(Imm(1), k.As32())
	ADDQ(at, k)
	MOVWLZX(near.Idx(k, 2), word.As32())
	MOVL(word.As32(), Mem{Base: found, Disp: 8})
	LEAQ(Mem{Base: i, Index: k, Scale: 1}, word)
	MOVL(word.As32(), Mem{Base: found})
	LEAQ(Mem{Base: j, Index: k, Scale: 1}, word)
	MOVL(word.As32(), Mem{Base: found, Disp: 4})
	ADDQ(Imm(hitBytes), found)
	INCQ(n)
	for range 2 { // a word is two bits
		less := GP32()
		LEAL(Mem{Base: hits, Disp: -1}, less)
		ANDL(less, hits)
	}
	JNZ(LabelRef("hit"))
	Label("none")
	ADDQ(Imm(some), at)
	CMPQ(at, m)
	JB(LabelRef("some"))
	ADDQ(m, i)
	ADDQ(m, j)
	JMP(LabelRef("words"))
	Label("done")
	Store(n, Return("n"))
	VZEROUPPER()
	RET()
}

func ahead512() {
	TEXT("aheadAVX512", NOSPLIT, aheadFunc)
	Pragma("noescape")
	doc("aheadAVX512 " + aheadDoc)
	mask, dist := ZMM(), ZMM()
	VPBROADCASTD(Load(Param("mask"), GP32()), mask)
	VPBROADCASTD(Load(Param("dist"), GP64()).(GPVirtual).As32(), dist)
	aheading(8, func(near, x, y Mem) {
		d, k := ZMM(), K()
		VPBROADCASTD(x, d)
		VPTERNLOGD(Imm(0x48), y, mask, d) // (d ^ y) & mask
		VPOPCNTD(d, d)
		VPCMPUD(Imm(2), dist, d, k) // at most
		KMOVW(k, near)
	})
}

func ahead2(constants func() counter) {
	TEXT("aheadAVX2", NOSPLIT, aheadFunc)
	Pragma("noescape")
	doc("aheadAVX2 " + aheadDoc)
	mask, limit, ones, pairs := YMM(), YMM(), YMM(), YMM()
	VMOVD(Load(Param("mask"), GP32()), mask.AsX())
	VPBROADCASTD(mask.AsX(), mask)
	d := Load(Param("dist"), GP64())
	INCQ(d)
	VMOVD(d.(GPVirtual).As32(), limit.AsX())
	VPBROADCASTD(limit.AsX(), limit)
	c := constants()
	VPCMPEQD(ones, ones, ones)
	VPABSB(ones, ones)
	VPMADDUBSW(ones, ones, pairs)
	VPSRLW(Imm(1), pairs, pairs)
	aheading(2, func(near, x, y Mem) {
		a, b := YMM(), YMM()
		VPBROADCASTD(x, a)
		VPXOR(y.Offset(32), a, b)
		VPXOR(y, a, a)
		for _, d := range []VecVirtual{a, b} {
			VPAND(mask, d, d)
			c.countBytes(d)
			VPMADDUBSW(ones, d, d)
			VPMADDWD(pairs, d, d)
			VPCMPGTD(d, limit, d)
		}
		low, high := GP32(), GP32()
		VMOVMSKPS(a, low)
		VMOVMSKPS(b, high)
		SHLL(Imm(8), high)
		ORL(high, low)
		MOVW(low.As16(), near)
	})
}

// limitOf loads one more than an argument, for comparisons that know only greater.
func limitOf(name string, limit VecVirtual) {
	d := Load(Param(name), GP64())
	INCQ(d)
	VMOVQ(d, limit.AsX())
	VPBROADCASTQ(limit.AsX(), limit)
}

func pairs2(constants func() counter) {
	TEXT("pairsAVX2", NOSPLIT, "func(found *uint64, xs *uint64, nx int, ys *uint64, groups int, dist int, triangle bool) (n int)")
	Pragma("noescape")
	doc("pairsAVX2 " + pairsDoc)
	p := loadPairs()
	limit := YMM()
	limitOf("dist", limit)
	c := constants()
	y0, y1 := YMM(), YMM()
	p.loop(
		func() {
			VMOVDQU(Mem{Base: p.ys}, y0)
			VMOVDQU(Mem{Base: p.ys, Disp: 32}, y1)
		},
		func(x Mem, diagonal int) Register {
			a, b := YMM(), YMM()
			VPBROADCASTQ(x, a)
			VPXOR(y1, a, b)
			VPXOR(y0, a, a)
			bits := c.near(a, b, limit)
			if diagonal >= 0 {
				ANDL(U32(uint32(0xfe)<<diagonal&0xff), bits)
			}
			return bits.As64()
		})
}

func distance2(constants func() counter) {
	TEXT("distanceAVX2", NOSPLIT, "func(a, b *uint64, n, m int) int")
	Pragma("noescape")
	doc("distanceAVX2" + distanceDoc)
	c := constants()
	x, sum := YMM(), YMM()
	VPXOR(sum, sum, sum)
	distance(4,
		func(a Mem) { VMOVDQU(a, x) },
		func(b Mem) { VPXOR(b, x, x) },
		func() { c.count(x); VPADDQ(x, sum, sum) },
		func() { sumYMM(sum) })
}
