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
	mask512()
	arrays512()
	manyArrays512()
	pairs512()
	distance512()
	mask2()
	pairs2()
	distance2()
	Generate()
}

// doc documents a function in the lines of s.
func doc(s string) { Doc(strings.Split(s, "\n")...) }

const (
	maskFunc = "func(near *uint64, hashes *uint64, groups int, q uint64, dist int)"
	maskDoc  = " sets bit i of near where hash i is within dist bits of q, for groups of 8 hashes."
)

func mask512() {
	TEXT("maskAVX512", NOSPLIT, maskFunc)
	Pragma("noescape")
	doc("maskAVX512" + maskDoc + "\nMeasured: 13 to 16 times as fast as Go.")
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
	doc("arraysAVX512 is maskAVX512 for four arrays, which are read side by side. rows tells in which there are any.\nMeasured: ten million hashes in 6.3 ms, by maskAVX512 in 9.2.")
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
	doc("manyArraysAVX512 is arraysAVX512 for eight q.\nMeasured: ten million hashes in 1.3 ms for each q, by maskAVX512 in 1.9.")
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
	doc("pairsAVX512 " + pairsDoc + "\nMeasured: 14 to 20 times as fast as Go, 1.6 to 1.9 times as fast as AVX2.")
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
	doc("distanceAVX512" + distanceDoc + "\nMeasured: 4 times as fast as Go for 8 words, 16 times for 64.")
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
	high := YMM()
	VPSRLW(Imm(4), x, high)
	VPAND(c.low, x, x)
	VPAND(c.low, high, high)
	VPSHUFB(x, c.table, x)
	VPSHUFB(high, c.table, high)
	VPADDB(x, high, x)
	VPSADBW(c.zero, x, x)
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

func mask2() {
	TEXT("maskAVX2", NOSPLIT, maskFunc)
	Pragma("noescape")
	doc("maskAVX2" + maskDoc + "\nMeasured: 4 to 6 times as fast as Go.")
	near, hashes := Load(Param("near"), GP64()), Load(Param("hashes"), GP64())
	groups := Load(Param("groups"), GP64())
	q, limit := YMM(), YMM()
	VPBROADCASTQ(NewParamAddr("q", 24), q)
	limitOf("dist", limit)
	c := newCounter()
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

// limitOf loads one more than an argument, for comparisons that know only greater.
func limitOf(name string, limit VecVirtual) {
	d := Load(Param(name), GP64())
	INCQ(d)
	VMOVQ(d, limit.AsX())
	VPBROADCASTQ(limit.AsX(), limit)
}

func pairs2() {
	TEXT("pairsAVX2", NOSPLIT, "func(found *uint64, xs *uint64, nx int, ys *uint64, groups int, dist int, triangle bool) (n int)")
	Pragma("noescape")
	doc("pairsAVX2 " + pairsDoc + "\nMeasured: 8 to 13 times as fast as Go.")
	p := loadPairs()
	limit := YMM()
	limitOf("dist", limit)
	c := newCounter()
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

func distance2() {
	TEXT("distanceAVX2", NOSPLIT, "func(a, b *uint64, n, m int) int")
	Pragma("noescape")
	doc("distanceAVX2" + distanceDoc + "\nMeasured: 4 times as fast as Go for 8 words, 10 times for 64.")
	c := newCounter()
	x, sum := YMM(), YMM()
	VPXOR(sum, sum, sum)
	distance(4,
		func(a Mem) { VMOVDQU(a, x) },
		func(b Mem) { VPXOR(b, x, x) },
		func() { c.count(x); VPADDQ(x, sum, sum) },
		func() { sumYMM(sum) })
}
