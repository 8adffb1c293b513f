package content

// These tests check the variants and their names: sizes to the character, and
// nothing but passages of the text itself inserted.

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestApplySizes(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 1))
		var letters []rune
		for range 1 + r.IntN(2000) {
			letters = append(letters, []rune("abc äöü\n語")[r.IntN(9)])
		}
		data := make([]byte, 1+r.IntN(2000))
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		data[0] = 0
		for _, percent := range []int{1, 5, 10, 25, 99, 100} {
			for _, insert := range []bool{false, true} {
				c := change{insert, percent}
				text := string(letters)
				got := c.apply([]byte(text))
				if want := changed(len(letters), c); utf8.RuneCount(got) != want || !utf8.Valid(got) {
					t.Errorf("seed %d: %d characters %s = %d characters, want %d", seed, len(letters), c.suffix(), utf8.RuneCount(got), want)
				}
				if again := c.apply([]byte(text)); !bytes.Equal(got, again) {
					t.Errorf("seed %d: %s differs the second time", seed, c.suffix())
				}
				if !insert && !isSubsequence([]rune(string(got)), letters) || insert && !isSubsequence(letters, []rune(string(got))) {
					t.Errorf("seed %d: %s does more than delete or insert", seed, c.suffix())
				}
				bin := c.apply(data)
				if want := changed(len(data), c); len(bin) != want {
					t.Errorf("seed %d: %d bytes %s = %d bytes, want %d", seed, len(data), c.suffix(), len(bin), want)
				}
				if !insert && !isSubsequence(bin, data) || insert && !isSubsequence(data, bin) {
					t.Errorf("seed %d: %s of bytes does more than delete or insert", seed, c.suffix())
				}
			}
		}
	}
}

// changed is the size a change leads to: N % are rounded up.
func changed(n int, c change) int {
	by := (n*c.percent + 99) / 100
	if c.insert {
		return n + by
	}
	return n - by
}

func isSubsequence[U comparable](few, many []U) bool {
	for _, u := range few {
		i := slices.Index(many, u)
		if i < 0 {
			return false
		}
		many = many[i+1:]
	}
	return true
}

// What is inserted is of the text itself, in passages.
func TestInsertCopiesPassages(t *testing.T) {
	var b strings.Builder
	for i := range 400 {
		fmt.Fprintf(&b, "%03d|", i)
	}
	got := string(change{true, 5}.apply([]byte(b.String())))
	twice := 0
	for i := range 400 {
		if strings.Count(got, fmt.Sprintf("%03d|", i)) > 1 {
			twice++
		}
	}
	if twice < 12 { // 80 characters are 20 numbers, less those cut at the ends of two passages
		t.Errorf("%d numbers occur twice, want passages of them", twice)
	}
}

func TestIsText(t *testing.T) {
	for in, want := range map[string]bool{"": true, "ä": true, "a\x00": false, "\xff": false} {
		if isText([]byte(in)) != want {
			t.Errorf("isText(%q) = %v", in, !want)
		}
	}
}

func TestKindOf(t *testing.T) {
	for in, want := range map[string]string{
		"text": kindText, "\x00": kindBinary, string(pack([]byte("text"))): kindPacked,
		"\x1f\x8b damaged": kindBinary, string(pack(make([]byte, maxBytes+1))): kindBinary,
	} {
		if got := kindOf([]byte(in)); got != want {
			t.Errorf("kindOf(%.20q) = %s, want %s", in, got, want)
		}
	}
}

func TestEditPacked(t *testing.T) {
	text := []byte(strings.Repeat("one two three ", 100))
	c := change{false, 10}
	inside, ok := unpack(c.edit(pack(text)))
	if !ok || !bytes.Equal(inside, c.apply(text)) {
		t.Errorf("a packed file is not edited inside: %q", inside)
	}
}

func FuzzUnpack(f *testing.F) {
	f.Add([]byte("text"))
	f.Add(pack([]byte("text")))
	f.Add(pack([]byte("text"))[:20])
	f.Fuzz(func(t *testing.T, b []byte) {
		inside, ok := unpack(b)
		if !ok {
			return
		}
		if again, ok := unpack(pack(inside)); !ok || !bytes.Equal(again, inside) {
			t.Errorf("unpack(pack(%q)) = %q, %v", inside, again, ok)
		}
	})
}

func TestVariantName(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{"a.txt", "a_dup.txt"}, {"a", "a_dup"}, {"sub/a.b.txt", "sub/a.b_dup.txt"}, {"a.txt.gz", "a_dup.txt.gz"},
		{"a.gz", "a_dup.gz"}, {".profile", ".profile_dup"}, {".gz", ".gz_dup"}, {"dir.d/a", "dir.d/a_dup"},
		{"MS Word file.docx", "MS Word file_dup.docx"}, {"a\n.txt", "a\n_dup.txt"}, {"ä.txt", "ä_dup.txt"},
	} {
		got := variantName(tt.name, "_dup")
		if got != tt.want {
			t.Errorf("variantName(%q) = %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestControlOf(t *testing.T) {
	for _, name := range []string{"a.txt", "a", "sub/a.b.txt", "a.txt.gz", ".profile", "dir_dup/a", "a_dup.txt", "x_d_5"} {
		for _, suffix := range []string{"_dup", "_d_1", "_i_25"} {
			if control, s, ok := controlOf(variantName(name, suffix)); !ok || control != name || s != suffix {
				t.Errorf("controlOf(%q) = %q, %q, %v, want %q, %q", variantName(name, suffix), control, s, ok, name, suffix)
			}
		}
	}
	for _, name := range []string{"a.txt", "_d_x", "dup", "dir_dup/a.txt", "a_d_.txt"} {
		if control, s, ok := controlOf(name); ok {
			t.Errorf("controlOf(%q) = %q, %q, want none", name, control, s)
		}
	}
}
