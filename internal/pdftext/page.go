package pdftext

// Extracting the positioned pieces of text of a page. The corresponding function of the
// pdf module miscounts the bytes of wide fonts, so that words split or merge.

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/ledongthuc/pdf"
)

// maxForms bounds the nesting of the forms of a page.
const maxForms = 8

// piece is the text of one drawing operation.
type piece struct {
	text     string
	x, y     float64 // start
	end      float64 // end, by the widths of the font
	fontSize float64
}

// matrix maps (x, y) to (a·x + c·y + e, b·x + d·y + f).
type matrix struct{ a, b, c, d, e, f float64 }

var unit = matrix{a: 1, d: 1}

// times returns the matrix that applies m, then n.
func (m matrix) times(n matrix) matrix {
	return matrix{
		m.a*n.a + m.b*n.c, m.a*n.b + m.b*n.d,
		m.c*n.a + m.d*n.c, m.c*n.b + m.d*n.d,
		m.e*n.a + m.f*n.c + n.e, m.e*n.b + m.f*n.d + n.f,
	}
}

// state is the graphics state that the operators of a page change.
type state struct {
	ctm                             matrix
	font                            *font
	size, chars, words, scale, lead float64
}

// drawing interprets the operators of a page.
type drawing struct {
	fonts     map[string]*font
	s         state
	saved     []state
	line, now matrix // of the text line and of the current position
	pieces    []piece
	forms     int
	most      int // limit of text in bytes
	bytes     int
}

// draw returns the pieces of a page, up to about most bytes of text.
func draw(page, resources pdf.Value, most int64) []piece {
	d := &drawing{s: state{ctm: unit, scale: 1}, most: int(most)}
	d.interpret(page.Key("Contents"), resources)
	return d.pieces
}

// interpret runs the operators of a content stream, with the fonts of its resources,
// until the text reaches its limit. The stack passes the arguments in reverse order.
func (d *drawing) interpret(content, resources pdf.Value) {
	outer := d.fonts
	d.fonts = map[string]*font{}
	defer func() { d.fonts = outer }()
	pdf.Interpret(content, func(stack *pdf.Stack, op string) {
		args := make([]pdf.Value, stack.Len())
		for i := len(args) - 1; i >= 0; i-- {
			args[i] = stack.Pop()
		}
		if d.bytes <= d.most {
			d.operate(op, args, resources)
		}
	})
}

// numbers returns arguments as numbers, 0 for missing ones.
func numbers(args []pdf.Value) (n [6]float64) {
	for i := range min(len(args), len(n)) {
		n[i] = args[i].Float64()
	}
	return n
}

// operate applies an operator. Only the operators of the graphics state that affect the
// position of text, and the text operators, matter.
func (d *drawing) operate(op string, args []pdf.Value, resources pdf.Value) {
	n := numbers(args)
	last := pdf.Value{}
	if len(args) > 0 {
		last = args[len(args)-1]
	}
	switch op {
	case "q":
		// A file may save endlessly without restoring.
		if len(d.saved) < 1000 {
			d.saved = append(d.saved, d.s)
		}
	case "Q":
		if len(d.saved) > 0 {
			d.s = d.saved[len(d.saved)-1]
			d.saved = d.saved[:len(d.saved)-1]
		}
	case "cm":
		d.s.ctm = matrix{n[0], n[1], n[2], n[3], n[4], n[5]}.times(d.s.ctm)
	case "BT":
		d.line, d.now = unit, unit
	case "Tf":
		if len(args) == 2 {
			d.s.font, d.s.size = d.fontOf(args[0].Name(), resources), n[1]
		}
	case "Tc":
		d.s.chars = n[0]
	case "Tw":
		d.s.words = n[0]
	// The operand is a percentage.
	case "Tz":
		d.s.scale = n[0] / 100
	case "TL":
		d.s.lead = n[0]
	case "Tm":
		d.line = matrix{n[0], n[1], n[2], n[3], n[4], n[5]}
		d.now = d.line
	case "Td":
		d.move(n[0], n[1])
	case "TD":
		d.s.lead = -n[1]
		d.move(n[0], n[1])
	case "T*":
		d.move(0, -d.s.lead)
	case "'", `"`:
		d.move(0, -d.s.lead)
		d.show(last.RawString())
	case "Tj":
		d.show(last.RawString())
	case "TJ":
		for i := range last.Len() {
			if x := last.Index(i); x.Kind() == pdf.String {
				d.show(x.RawString())
			} else {
				// Numbers between strings are kerning, in thousandths of the font size.
				d.advance(-x.Float64() / 1000 * d.s.size * d.s.scale)
			}
		}
	case "Do":
		if len(args) == 1 {
			d.form(resources.Key("XObject").Key(args[0].Name()), resources)
		}
	}
}

// form draws a form, which may contain text.
func (d *drawing) form(form, resources pdf.Value) {
	if d.forms >= maxForms || form.Key("Subtype").Name() != "Form" {
		return
	}
	d.forms++
	saved := d.s
	if m := form.Key("Matrix"); m.Len() == 6 {
		var n [6]float64
		for i := range n {
			n[i] = m.Index(i).Float64()
		}
		d.s.ctm = matrix{n[0], n[1], n[2], n[3], n[4], n[5]}.times(d.s.ctm)
	}
	if own := form.Key("Resources"); !own.IsNull() {
		resources = own
	}
	d.interpret(form, resources)
	d.s = saved
	d.forms--
}

// move starts a line at an offset from the start of the current one.
func (d *drawing) move(x, y float64) {
	d.line = matrix{1, 0, 0, 1, x, y}.times(d.line)
	d.now = d.line
}

// advance moves the current position along the line.
func (d *drawing) advance(x float64) { d.now = matrix{1, 0, 0, 1, x, 0}.times(d.now) }

// show appends a piece at the current position, and advances by its width.
func (d *drawing) show(raw string) {
	f := d.s.font
	if f == nil || raw == "" {
		return
	}
	at := d.now.times(d.s.ctm)
	text := f.decode(raw)
	width := f.width(raw) / 1000 * d.s.size
	glyphs := float64(len(raw) / f.codeBytes)
	d.advance((width + glyphs*d.s.chars + float64(strings.Count(raw, " "))*d.s.words) * d.s.scale)
	end := d.now.times(d.s.ctm)
	size := math.Abs(d.s.size) * math.Hypot(at.c, at.d)
	d.bytes += len(text)
	d.pieces = append(d.pieces, piece{text, at.e, at.f, end.e, size})
}

// font decodes codes to characters and has their widths, in thousandths of the font
// size.
type font struct {
	encoding  pdf.TextEncoding
	codeBytes int
	widths    map[int]float64
	usual     float64
}

// fontOf returns a font of the resources, cached by name.
func (d *drawing) fontOf(name string, resources pdf.Value) *font {
	if f := d.fonts[name]; f != nil {
		return f
	}
	v := pdf.Font{V: resources.Key("Font").Key(name)}
	// 500 is a typical width of a simple font without widths, such as a standard one.
	f := &font{encoding: v.Encoder(), codeBytes: 1, widths: map[int]float64{}, usual: 500}
	if v.V.Key("Subtype").Name() == "Type0" {
		f.codeBytes = 2
		f.wide(v.V.Key("DescendantFonts").Index(0))
	} else if widths := v.V.Key("Widths"); widths.Len() > 0 {
		// Simple fonts have at most 256 codes, whatever the file claims.
		for i := range min(widths.Len(), 256) {
			f.widths[v.FirstChar()+i] = widths.Index(i).Float64()
		}
	}
	d.fonts[name] = f
	return f
}

// wide reads the widths of a font with two-byte codes: c [w w …] or first last w.
func (f *font) wide(v pdf.Value) {
	// The default of the PDF specification.
	f.usual = 1000
	if dw := v.Key("DW"); !dw.IsNull() {
		f.usual = dw.Float64()
	}
	w := v.Key("W")
	for i := 0; i+1 < w.Len(); {
		first, next := int(w.Index(i).Int64()), w.Index(i+1)
		if next.Kind() == pdf.Array {
			for k := range min(next.Len(), 1<<16) {
				f.widths[first+k] = next.Index(k).Float64()
			}
			i += 2
			continue
		}
		for code := first; code <= min(int(next.Int64()), first+1<<16, 1<<16); code++ {
			f.widths[code] = w.Index(i + 2).Float64()
		}
		i += 3
	}
}

// width returns the width of a string of codes.
func (f *font) width(raw string) (sum float64) {
	for ; len(raw) >= f.codeBytes; raw = raw[f.codeBytes:] {
		code := int(raw[0])
		if f.codeBytes == 2 {
			code = code<<8 | int(raw[1])
		}
		if w, ok := f.widths[code]; ok {
			sum += w
		} else {
			sum += f.usual
		}
	}
	return sum
}

// decode returns the characters of codes. If the font declares no encoding, the codes
// count as Latin-1, which is right for the letters of most.
func (f *font) decode(raw string) string {
	s := f.encoding.Decode(raw)
	if utf8.ValidString(s) {
		return s
	}
	runes := make([]rune, 0, len(raw))
	for _, c := range []byte(raw) {
		runes = append(runes, rune(c))
	}
	return string(runes)
}
