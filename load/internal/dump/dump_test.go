package dump

// Complete dumps, and damaged ones.

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

const maxLine = 1 << 20

// small returns a dump of two collections and nine documents, one of them unreadable,
// and its items.
func small(t testing.TB) (whole []byte, items []string) {
	t.Helper()
	var b bytes.Buffer
	w, err := NewWriter(&b, 2, 9)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []string{"a", "b\n"} {
		err = errors.Join(err, w.Collection(Collection{Name: c, Settings: []byte(`{"K":3}`), Documents: 4}))
		for _, d := range []Document{{ID: "1", Text: "text"}, {"\xff\n", "\x00 \xc3", []string{"\xc3", ""}, nil, []byte(`{"year":1.50}`)}, {"2", "", []string{}, nil, nil}, {"3", "", []string{"a b"}, []byte{0, 200}, nil}} {
			err = errors.Join(err, w.Document(d))
		}
	}
	w.Unreadable()
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	if items, err = read(b.Bytes()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), items
}

// read lists the items of a dump, up to an error.
func read(dump []byte) (items []string, err error) {
	r := NewReader(bytes.NewReader(dump), maxLine)
	for {
		c, d, err := r.Next()
		switch {
		case err == io.EOF:
			return items, nil
		case err != nil:
			return items, err
		case c != nil:
			items = append(items, fmt.Sprintf("%q %s %d", c.Name, c.Settings, c.Documents))
		default:
			items = append(items, fmt.Sprintf("%q %q %#v %x %s", d.ID, d.Text, d.Tokens, d.Lexed, d.Meta))
		}
	}
}

func TestRoundTrip(t *testing.T) {
	_, got := small(t)
	documents := []string{
		`"1" "text" []string(nil)  `, `"\xff\n" "\x00 \xc3" []string{"\xc3", ""}  {"year":1.50}`,
		`"2" "" []string{}  `, `"3" "" []string{"a b"} 00c8 `,
	}
	want := slices.Concat([]string{`"a" {"K":3} 4`}, documents, []string{`"b\n" {"K":3} 4`}, documents)
	if !slices.Equal(got, want) {
		t.Errorf("read %q, want %q", got, want)
	}
}

// No damage passes: a dump cut at any byte, any byte changed, any line missing,
// repeated or swapped with the next. Items returned before the error equal the written
// ones.
func TestDamage(t *testing.T) {
	whole, items := small(t)
	refused := func(what string, dump []byte) {
		t.Helper()
		got, err := read(dump)
		if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrNoDump) {
			t.Errorf("%s: %v, want ErrDamaged or ErrNoDump", what, err)
		}
		if len(got) > len(items) || !slices.Equal(got, items[:len(got)]) {
			t.Errorf("%s: read %q, want the beginning of %q", what, got, items)
		}
	}
	for i := range whole {
		refused(fmt.Sprint("cut at ", i), whole[:i])
		for _, c := range []byte{0, '\n', '"', whole[i] ^ 1, whole[i] ^ 0x20} {
			if c != whole[i] {
				changed := bytes.Clone(whole)
				changed[i] = c
				refused(fmt.Sprintf("byte %d is %q", i, c), changed)
			}
		}
	}
	lines := strings.SplitAfter(strings.TrimSuffix(string(whole), "\n"), "\n")
	lines[len(lines)-1] += "\n"
	join := func(parts ...[]string) []byte { return []byte(strings.Join(slices.Concat(parts...), "")) }
	for i := range lines {
		refused(fmt.Sprint("without line ", i), join(lines[:i], lines[i+1:]))
		refused(fmt.Sprint("doubled line ", i), join(lines[:i+1], lines[i:]))
		if i > 0 {
			refused(fmt.Sprint("swapped line ", i), join(lines[:i-1], []string{lines[i], lines[i-1]}, lines[i+1:]))
		}
	}
	refused("more behind", append(bytes.Clone(whole), whole...))
	refused("an empty line behind", append(bytes.Clone(whole), '\n'))
}

// An endless line takes no more memory than the limit.
func TestLongLine(t *testing.T) {
	r := NewReader(io.MultiReader(strings.NewReader("{"), endless{}), maxLine)
	if _, _, err := r.Next(); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("an endless line: %v", err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func FuzzRead(f *testing.F) {
	whole, _ := small(f)
	f.Add(whole)
	f.Add([]byte(`{"simdb_dump":1,"crc":"00000000"}` + "\n"))
	f.Fuzz(func(t *testing.T, dump []byte) {
		if items, err := read(dump); err == nil && len(items) > bytes.Count(dump, []byte("\n")) {
			t.Errorf("%d items of %q", len(items), dump)
		}
	})
}
