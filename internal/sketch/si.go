package sketch

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/simdb/simdb/internal/text"
)

// SI identifies one similarity index of paper 000: a function from a text to a number
// that is near for similar texts. It reads the text as a stream, hashes the k-grams of
// the stream to 32 bits, selects a sketch of the hashes, and aggregates it to one
// number.
//
// The methods on characters follow; the methods on words are numbered 20 higher, on
// Soundex codes 40 higher:
//
//	sketch                          sum   Rabin hash   super shingle
//	all hashes                        1            2              14
//	hashes divisible by 25            3            4
//	winnowing, w hashes a window      5            6
//	the n lowest, distinct            7            8
//	the n highest, distinct           9           10
//	a random third                   11           12
//	the 200 most frequent words      13
//
// Method 13 uses words or codes, not k-grams, and has no character form.
type SI struct {
	Method    int  // 1 to 14, 21 to 34, 41 to 54
	Variation byte // 'A' to 'D', see text.Variation
	K         int  // tokens of a k-gram; of no effect in 13
	W         int  // hashes of a winnowing window; methods 5 and 6 only
	N         int  // hashes of the sketch; methods 7 to 10 only
}

// Defaults of ParseSI for omitted fields. The paper gives n as 400 in one place and 200
// in another.
const (
	DefaultK = 40
	DefaultW = 100
	DefaultN = 400
)

const (
	maxField      = 10000 // of k, w and n
	frequentWords = 200   // of method 13
	// maxSuperShingle is the greatest number of hashes for method 14: it needs n²/k
	// steps, about three seconds for so many and k = 4.
	maxSuperShingle = 1 << 17
)

// base returns the number of the method on characters.
func (si SI) base() int { return si.Method % 20 }

func (si SI) usesK() bool { return si.base() != 13 }
func (si SI) usesW() bool { return si.base() == 5 || si.base() == 6 }
func (si SI) usesN() bool { return 7 <= si.base() && si.base() <= 10 }

// stream returns the kind of stream that the method reads.
func (si SI) stream() text.StreamKind {
	return [...]text.StreamKind{text.CharStream, text.WordStream, text.SoundexStream}[si.Method/20]
}

// ParseSI parses a method with its variation, "m43b" or "43B", followed in any order by
// k, w and n with their numbers: "m43b k40", "m7a n200 k16". Case does not matter.
// Defaults: variation A, k 40, w 100, n 400. ParseSI accepts and zeroes a field that
// the method does not use, so that equal indexes give equal SIs.
func ParseSI(s string) (SI, error) {
	fields := strings.Fields(strings.ToLower(s))
	if len(fields) == 0 {
		return SI{}, fmt.Errorf("similarity index %q: want a method and its variation, such as m43b", s)
	}
	si := SI{Variation: 'A', K: DefaultK, W: DefaultW, N: DefaultN}
	method := strings.TrimPrefix(fields[0], "m")
	if last := len(method) - 1; last > 0 && 'a' <= method[last] && method[last] <= 'z' {
		si.Variation = method[last] - 'a' + 'A'
		method = method[:last]
	}
	var err error
	if si.Method, err = parseDigits(method); err != nil {
		return SI{}, fmt.Errorf("similarity index %q: want a method and its variation, such as m43b, found %q", s, fields[0])
	}
	given := map[byte]bool{}
	for _, f := range fields[1:] {
		to := map[byte]*int{'k': &si.K, 'w': &si.W, 'n': &si.N}[f[0]]
		if to == nil {
			return SI{}, fmt.Errorf("similarity index %q: want k, w or n with a number, found %q", s, f)
		}
		if given[f[0]] {
			return SI{}, fmt.Errorf("similarity index %q has %c twice", s, f[0])
		}
		given[f[0]] = true
		if *to, err = parseDigits(f[1:]); err != nil || *to < 1 || *to > maxField {
			return SI{}, fmt.Errorf("similarity index %q: want %c from 1 to %d, found %q", s, f[0], maxField, f)
		}
	}
	if err := si.Validate(); err != nil {
		return SI{}, err
	}
	return si.used(), nil
}

// parseDigits parses a number without a sign.
func parseDigits(s string) (int, error) {
	n, err := strconv.ParseUint(s, 10, 31)
	return int(n), err
}

// used returns si with 0 in the fields that its method does not use.
func (si SI) used() SI {
	if !si.usesK() {
		si.K = 0
	}
	if !si.usesW() {
		si.W = 0
	}
	if !si.usesN() {
		si.N = 0
	}
	return si
}

// String returns si in the syntax of ParseSI, with the fields that the method uses:
// "m43b k40", "m5a k4 w5", "m33a".
func (si SI) String() string {
	s := fmt.Sprintf("m%d%c", si.Method, si.Variation|0x20)
	for _, f := range []struct {
		name byte
		used bool
		n    int
	}{{'k', si.usesK(), si.K}, {'w', si.usesW(), si.W}, {'n', si.usesN(), si.N}} {
		if f.used {
			s += fmt.Sprintf(" %c%d", f.name, f.n)
		}
	}
	return s
}

// Validate returns an error for a method or variation that the paper does not have,
// method 13 on characters, a used k, w or n outside 1 to 10,000, and method 14 with k
// 1, which would never reach one number.
func (si SI) Validate() error {
	switch {
	case si.Method < 1 || si.Method > 54 || si.base() < 1 || si.base() > 14:
		return fmt.Errorf("similarity index: no method %d: want 1 to 14, plus 20 for words, plus 40 for Soundex codes", si.Method)
	case si.Variation < 'A' || si.Variation > 'D':
		return fmt.Errorf("similarity index: no variation %q: want A to D", si.Variation)
	case si.Method == 13:
		return fmt.Errorf("similarity index: method 13 counts words: want 33, or 53 for Soundex codes")
	case si.usesK() && (si.K < 1 || si.K > maxField):
		return fmt.Errorf("similarity index: k is %d: want 1 to %d", si.K, maxField)
	case si.usesW() && (si.W < 1 || si.W > maxField):
		return fmt.Errorf("similarity index: w is %d: want 1 to %d", si.W, maxField)
	case si.usesN() && (si.N < 1 || si.N > maxField):
		return fmt.Errorf("similarity index: n is %d: want 1 to %d", si.N, maxField)
	case si.base() == 14 && si.K < 2:
		return fmt.Errorf("similarity index: method %d takes k-grams of k-grams: want k from 2 up", si.Method)
	}
	return nil
}

// Value returns the index of a text. ok is false if the sketch is empty, because the
// text has fewer than k tokens or none of its hashes was selected, and for method 14 on
// more than 131,072 k-grams. Value panics if the SI is invalid.
func (si SI) Value(doc string) (v int64, ok bool) {
	if err := si.Validate(); err != nil {
		panic(err)
	}
	sketch := si.sketch(text.ReadStream(doc, si.stream(), text.Variation(si.Variation)))
	if len(sketch) == 0 || si.base() == 14 && len(sketch) > maxSuperShingle {
		return 0, false
	}
	switch {
	case si.base() == 14:
		return superShingle(sketch, si.K), true
	case si.base()%2 == 0:
		return rabin(sketch), true
	}
	return sum(sketch), true
}

// sketch returns the selected hashes of a stream.
func (si SI) sketch(s text.Stream) []int32 {
	if si.base() == 13 {
		return frequentTokens(s, frequentWords)
	}
	hashes := gramHashes(s, si.K)
	switch si.base() {
	case 3, 4:
		return zeroMod25(hashes)
	case 5, 6:
		return winnow(hashes, si.W)
	case 7, 8:
		return lowest(hashes, si.N)
	case 9, 10:
		return highest(hashes, si.N)
	case 11, 12:
		return randomThird(hashes)
	}
	return hashes // 1, 2, 14
}
