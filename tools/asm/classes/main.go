// Command classes writes the assembly that sorts ASCII characters into classes. It is run by
// make asm.
package main

import (
	"encoding/binary"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// Classes of characters, each a set of high halves with a set of low halves.
// Text's own classes are unions of them.
const (
	early     = 1 << iota // A to O, a to o
	late                  // P to Z, p to z
	digit                 // 0 to 9
	connector             // _
	colon
	dot // . and '
	comma
	semicolon
)

// unions are the classes of package text, in its order.
var unions = []uint8{early | late, digit, connector, colon | dot, dot | comma | semicolon}

// ofHigh and ofLow return the classes a character may have by each half.
func ofHigh(h int) (c uint8) {
	return [16]uint8{2: dot | comma, 3: digit | colon | semicolon, 4: early, 5: late | connector, 6: early, 7: late}[h]
}

func ofLow(l int) (c uint8) {
	c = [16]uint8{7: dot, 10: colon, 11: semicolon, 12: comma, 14: dot, 15: connector}[l]
	if l >= 1 {
		c |= early
	}
	if l <= 10 {
		c |= late
	}
	if l <= 9 {
		c |= digit
	}
	return c
}

// byHalf is a constant with a byte of classes for each value of a half.
func byHalf(name string, of func(half int) uint8) Mem {
	m := GLOBL(name, RODATA|NOPTR)
	for i := range 2 {
		var b [8]byte
		for j := range b {
			b[j] = of(8*i + j)
		}
		DATA(8*i, U64(binary.LittleEndian.Uint64(b[:])))
	}
	return m
}

func main() {
	ConstraintExpr("amd64")
	high, low := byHalf("classesOfHigh", ofHigh), byHalf("classesOfLow", ofLow)
	sets := GLOBL("unionsOfClasses", RODATA|NOPTR)
	for i, u := range unions {
		DATA(8*i, U64(uint64(u)*0x0101010101010101))
	}
	half := GLOBL("lowHalf", RODATA|NOPTR)
	DATA(0, U64(0x0f0f0f0f0f0f0f0f))

	TEXT("classesAVX2", NOSPLIT, "func(classes *[5]uint64, block *[64]byte)")
	Pragma("noescape")
	Doc("classesAVX2 sets bit i of each of the classes iff block[i], an ASCII character, has it.", "Measured: 5 to 10 times as fast as Go.")
	to, block := Load(Param("classes"), GP64()), Load(Param("block"), GP64())
	highs, lows, mask, none := YMM(), YMM(), YMM(), YMM()
	VBROADCASTI128(high, highs)
	VBROADCASTI128(low, lows)
	VPBROADCASTQ(half, mask)
	VPXOR(none, none, none)
	first, second := YMM(), YMM()
	for i, c := range []Op{first, second} {
		h, l := YMM(), YMM()
		VMOVDQU(Mem{Base: block, Disp: 32 * i}, l)
		VPSRLW(U8(4), l, h)
		VPAND(mask, l, l)
		VPAND(mask, h, h)
		VPSHUFB(l, lows, l)
		VPSHUFB(h, highs, h)
		VPAND(h, l, c)
	}
	for i := range unions {
		set, a, b := YMM(), YMM(), YMM()
		x, y := GP32(), GP32()
		VPBROADCASTQ(sets.Offset(8*i), set)
		VPAND(set, first, a)
		VPAND(set, second, b)
		VPCMPEQB(none, a, a)
		VPCMPEQB(none, b, b)
		VPMOVMSKB(a, x)
		VPMOVMSKB(b, y)
		SHLQ(U8(32), y.As64())
		ORQ(y.As64(), x.As64())
		NOTQ(x.As64())
		MOVQ(x.As64(), Mem{Base: to, Disp: 8 * i})
	}
	VZEROUPPER()
	RET()
	Generate()
}
