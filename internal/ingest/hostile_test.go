package ingest

// Damaged and hostile input, input that changes between two reads, and resuming within it.

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/simdb/simdb/api"
)

// Whatever an archive contains, the next path is read.
func TestHostileArchives(t *testing.T) {
	entries := tarOf(t, "a", "x", "big", strings.Repeat("b", 5000))
	links := []tar.Header{
		{Name: "../up", Typeflag: tar.TypeReg, Size: 1},
		{Name: "a/../../up", Typeflag: tar.TypeReg, Size: 1},
		{Name: "sym", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"},
		{Name: "hard", Typeflag: tar.TypeLink, Linkname: "../../etc/passwd"},
		{Name: "fifo", Typeflag: tar.TypeFifo},
		{Name: "dir/", Typeflag: tar.TypeDir},
		{Name: "/abs", Typeflag: tar.TypeReg, Size: 1},
	}
	contents := []string{"x", "x", "", "", "", "", "y"}
	bomb := zipOf(t, "zeros", strings.Repeat("0", 1<<20), "after", "y")
	plain := zipOf(t, "a", "x")
	overlapping := overlap(zipOf(t, "a", "x", "b", "y"))
	quoted := quote(zipOf(t, "a", "x", "b", "y"))
	for _, test := range []struct{ name, content, want string }{
		{"cut.tar", entries[:1536], "cut.tar/a=\"x\"\nreject cut.tar/big:0 : input ends early (truncated?)\nreject cut.tar:0 : input ends early (truncated?); nothing behind it is read\n"},
		{"cut2.tar", entries[:3000], "cut2.tar/a=\"x\"\nreject cut2.tar/big:0 cut2.tar/big: input ends early (truncated?)\nreject cut2.tar:0 : input ends early (truncated?); nothing behind it is read\n"},
		{"cut.tar.gz", cutGz(entries, 2000), "cut.tar.gz/a=\"x\"\nreject cut.tar.gz/big:0 cut.tar.gz/big: input ends early (truncated?)\nreject cut.tar.gz:0 : input ends early (truncated?); nothing behind it is read\n"},
		{"cut.txt.gz", cutGz("hello", 3), "reject cut.txt.gz:0 cut.txt.gz: input ends early (truncated?)\n"},
		{"head.gz", gz("hello")[:5], "reject head.gz:0 : input ends early (truncated?)\n"},
		{"cut.jsonl.gz", cutGz("{\"id\":\"a\",\"text\":\"x\"}\n{\"id\":\"b\",\"text\":\"y\"}\n", 30), "a=\"x\"\nreject cut.jsonl.gz:2 : input ends early (truncated?); nothing behind it is read\n"},
		{"links.tar", tarWith(t, links, contents), `
links.tar/abs="y"
reject links.tar/../up:0 : path leads out of the archive
reject links.tar/a/../../up:0 : path leads out of the archive
reject links.tar/sym:0 : symbolic link
reject links.tar/hard:0 : hard link
reject links.tar/fifo:0 : not a regular file
`},
		{"bomb.zip", bomb, "bomb.zip/after=\"y\"\nreject bomb.zip/zeros:0 bomb.zip/zeros: text of 1048576 bytes is over the limit of 10000; raise --max-doc\n"},
		{"liar.zip", lieAboutSize(bomb, 1<<20, 10), "liar.zip/after=\"y\"\nreject liar.zip/zeros:0 : cannot read on: zip: not a valid zip file\n"},
		{"bomb.txt.gz", gz(strings.Repeat("0", 1<<20)), "reject bomb.txt.gz:0 bomb.txt.gz: text is over the limit of 10000 bytes; raise --max-doc\n"},
		{"cut.zip", plain[:len(plain)-10], "reject cut.zip:0 : cannot read on: zip: not a valid zip file\n"},
		{"locked.zip", encrypt(plain), "reject locked.zip/a:0 : encrypted\n"},
		{"overlap.zip", overlapping, "reject overlap.zip:0 : entries \"a\" and \"b\" share bytes, as no honest zip has them\n"},
		{"quoted.zip", quoted, "reject quoted.zip:0 : entries \"a\" and \"b\" share bytes, as no honest zip has them\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			path, next := filepath.Join(dir, test.name), filepath.Join(dir, "next.txt")
			write(t, path, test.content)
			write(t, next, "z")
			got := readAll(t, Options{MaxDocBytes: 10000}, path, next)
			if len(got.docs) == 0 || got.docs[len(got.docs)-1].ID != "next.txt" {
				t.Fatalf("Read(%s) does not go on to the next path: %v", test.name, got.docs)
			}
			got.docs = got.docs[:len(got.docs)-1]
			want := strings.TrimPrefix(test.want, "\n")
			if got := got.summary(dir); got != want {
				t.Errorf("Read(%s) =\n%swant\n%s", test.name, got, want)
			}
		})
	}
}

// cutGz returns the gzip of s, truncated so that n bytes can be decoded.
func cutGz(s string, n int) string {
	stored := gz(s[:n])
	return stored[:len(stored)-8]
}

// lieAboutSize changes the uncompressed sizes in a zip.
func lieAboutSize(archive string, was, says uint32) string {
	old := binary.LittleEndian.AppendUint32(nil, was)
	return strings.ReplaceAll(archive, string(old), string(binary.LittleEndian.AppendUint32(nil, says)))
}

// encrypt sets the encryption flag in the directory of a zip with one file.
func encrypt(archive string) string {
	b := []byte(archive)
	b[bytes.Index(b, []byte("PK\x01\x02"))+8] |= 1
	return string(b)
}

// overlap gives the second file of a zip the place of the first.
func overlap(archive string) string {
	b := []byte(archive)
	first := bytes.Index(b, []byte("PK\x01\x02"))
	second := first + 4 + bytes.Index(b[first+4:], []byte("PK\x01\x02"))
	copy(b[second+16:second+28], b[first+16:first+28]) // checksum and sizes
	binary.LittleEndian.PutUint32(b[second+42:], 0)
	return string(b)
}

// quote extends the first file of a zip over the second.
func quote(archive string) string {
	b := []byte(archive)
	first := bytes.Index(b, []byte("PK\x01\x02"))
	second := bytes.LastIndex(b[:first], []byte("PK\x03\x04"))
	binary.LittleEndian.PutUint32(b[first+20:], uint32(second+40))
	return string(b)
}

// The expansion limit applies to compressed input at every level. Skipped entries do not count, and
// the next path is read.
func TestExpansion(t *testing.T) {
	long := strings.Repeat(strings.Repeat("a", 1<<20)+"\n", 65)
	part := long[:40<<20]
	inner := gz(part)
	const reason = "unpacks to more than 200 times its size; raise --max-ratio if that is right"
	for _, test := range []struct {
		name, content, last string
		ratio               int64
	}{
		{"a.jsonl.gz", gz(long), reason, 0},
		{"a.jsonl.zst", zst(long), reason, 0},
		{"a.jsonl.gz", gz(long), "", -1},
		{"a.jsonl.gz", gz(long), "", 2000},
		{"a.tar.gz", gz(tarOf(t, "x.jsonl", long)), reason, 0},
		{"inner.tar", tarOf(t, "x.jsonl.gz", inner, "y.jsonl.gz", inner), reason, 0},
		{"inner.tar", tarOf(t, "x.jsonl.gz", inner), "", 0},
		{"one.zip", zipOf(t, "x.jsonl", long), reason, 0},
		{"sum.zip", zipOf(t, "x.jsonl", part, "y.jsonl", part), reason, 0},
		{"sum.zip", zipOf(t, "x.jsonl", part, "y.jsonl", part), "", -1},
		{"one.zip", zipOf(t, "x.jsonl", part), "", 0},
	} {
		path := filepath.Join(t.TempDir(), test.name)
		write(t, path, test.content)
		for _, from := range []string{path, "-"} {
			if from == "-" && strings.HasSuffix(test.name, ".zip") {
				continue
			}
			o := Options{MaxRatio: test.ratio, Stdin: strings.NewReader(test.content)}
			if strings.HasPrefix(test.name, "a.jsonl") {
				o.Format = "jsonl" // standard input has no name to detect it by
			}
			got := readAll(t, o, from)
			last := strings.TrimSuffix(got.rejects[len(got.rejects)-1].Reason, "; nothing behind it is read")
			if test.last == "" && strings.Contains(last, "--max-ratio") || test.last != "" && last != test.last {
				t.Errorf("%s from %s with ratio %d ends with %q, want %q", test.name, from, test.ratio, last, test.last)
			}
		}
	}
}

// A sparse file in a tar may declare any size.
func TestSparseTar(t *testing.T) {
	archive := tarWith(t, []tar.Header{{Name: "holes.jsonl", Typeflag: tar.TypeReg, Size: 1}, {Name: "b", Typeflag: tar.TypeReg, Size: 1}}, []string{"x", "y"})
	b := []byte(archive)
	b[156] = tar.TypeGNUSparse
	copy(b[257:], "ustar  \x00")
	copy(b[386:], "00000000000\x0000000000001\x00") // one byte of data, at the beginning
	copy(b[483:], "77777777777\x00")                // of 8 GiB
	copy(b[148:], "        ")
	sum := 0
	for _, c := range b[:512] {
		sum += int(c)
	}
	copy(b[148:], fmt.Sprintf("%06o\x00 ", sum))
	checkSummary(t, Options{}, "a.tar", string(b), "b=\"y\"\nreject a.tar/holes.jsonl:0 : sparse file\n")
}

func TestZipSymlink(t *testing.T) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	h := &zip.FileHeader{Name: "link"}
	h.SetMode(fs.ModeSymlink | 0o777)
	f, err := w.CreateHeader(h)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(f, "/etc/passwd")
	w.Close()
	checkSummary(t, Options{}, "a.zip", b.String(), "reject a.zip/link:0 : symbolic link\n")
}

// The walk does not follow links, although a named path may be a link.
func TestSymlinks(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "real", "a.txt"), "x")
	write(t, filepath.Join(dir, "secret.txt"), "not read")
	for link, target := range map[string]string{
		"named":        "real",
		"real/loop":    ".",
		"real/out.txt": "../secret.txt",
		"real/gone":    "nosuch",
	} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	want := `a.txt="x"
reject named/gone:0 : symbolic link
reject named/loop:0 : symbolic link
reject named/out.txt:0 : symbolic link
`
	if got := readAll(t, Options{}, filepath.Join(dir, "named")).summary(dir); got != want {
		t.Errorf("Read(linked directory) =\n%swant\n%s", got, want)
	}
	if got, want := readAll(t, Options{}, filepath.Join(dir, "real", "out.txt")).summary(dir), "out.txt=\"not read\"\n"; got != want {
		t.Errorf("Read(named link) =\n%swant\n%s", got, want)
	}
}

// A glob does not follow links either, wherever they lead.
func TestGlobSymlinks(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "real", "a.txt"), "x")
	write(t, filepath.Join(dir, "real", ".git", "b.txt"), "not read")
	write(t, filepath.Join(dir, "real", ".hidden", "c.txt"), "y")
	write(t, filepath.Join(dir, "outside", "secret.txt"), "not read")
	for link, target := range map[string]string{
		"named":         "real",
		"real/circle":   "circle",
		"real/dir":      "../outside",
		"real/gone.txt": "nosuch",
		"real/gone":     "nosuch",
		"real/loop":     ".",
		"real/out.txt":  "../outside/secret.txt",
		"real/out.md":   "../outside/secret.txt",
	} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	const texts = ".hidden/c.txt=\"y\"\na.txt=\"x\"\n"
	const links = "reject named/gone.txt:0 : symbolic link\n"
	const dirs = "reject named/circle:0 : symbolic link\nreject named/dir:0 : symbolic link\n"
	for _, test := range []struct{ glob, want string }{
		{"named/*.txt", "a.txt=\"x\"\n" + links + "reject named/out.txt:0 : symbolic link\n"},
		{"named/**/*.txt", texts + dirs + links + "reject named/loop:0 : symbolic link\nreject named/out.txt:0 : symbolic link\n"},
		{"named/{**/,}*.txt", texts + dirs + links + "reject named/loop:0 : symbolic link\nreject named/out.txt:0 : symbolic link\n"},
		{"named/*/*.txt", ".hidden/c.txt=\"y\"\n" + dirs + "reject named/loop:0 : symbolic link\n"},
		{"named/d*/secret.txt", "reject named/dir:0 : symbolic link\n"},
		{"named/.h*/*", ".hidden/c.txt=\"y\"\n"},
	} {
		if got := readAll(t, Options{}, filepath.Join(dir, test.glob)).summary(dir); got != test.want {
			t.Errorf("Read(%s) =\n%swant\n%s", test.glob, got, test.want)
		}
	}
}

func TestNoPermission(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	if runtime.GOOS == "windows" {
		t.Skip("a mode closes no file on Windows")
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.txt"), "x")
	write(t, filepath.Join(dir, "closed", "b.txt"), "x")
	write(t, filepath.Join(dir, "c.txt"), "x")
	for _, name := range []string{"closed", "c.txt"} {
		if err := os.Chmod(filepath.Join(dir, name), 0); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { os.Chmod(filepath.Join(dir, "closed"), 0o700) })
	want := "a.txt=\"x\"\nreject c.txt:0 : permission denied\nreject closed:0 : permission denied\n"
	if got := readAll(t, Options{}, dir).summary(dir); got != want {
		t.Errorf("Read(directory) =\n%swant\n%s", got, want)
	}
	for _, name := range []string{"closed", "c.txt"} {
		for _, err := range Read(t.Context(), []string{filepath.Join(dir, name)}, Options{}) {
			if !errors.Is(err, fs.ErrPermission) {
				t.Errorf("Read(%s) yielded %v, want fs.ErrPermission", name, err)
			}
		}
	}
}

// longLine generates JSONL with one huge line while it is read.
func longLine(size int64) io.Reader {
	return io.MultiReader(
		strings.NewReader(`{"id":"long","text":"`),
		io.LimitReader(endless{}, size),
		strings.NewReader("\"}\n{\"id\":\"next\",\"text\":\"x\"}\n"))
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	return len(p), nil
}

// A line far over the limit uses bounded memory and does not hide the next line.
func TestLongLine(t *testing.T) {
	const size = 64 << 20
	for format, in := range map[string]io.Reader{
		"jsonl": longLine(size),
		"csv":   io.MultiReader(strings.NewReader("id,text\nlong,\"\n\"\""), io.LimitReader(endless{}, size), strings.NewReader("\"\nnext,x\n")),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got := readAll(t, Options{Format: format, Stdin: in, MaxDocBytes: 1 << 16}, "-")
		runtime.ReadMemStats(&after)
		if len(got.docs) != 1 || got.docs[0].ID != "next" || len(got.rejects) != 1 || !strings.Contains(got.rejects[0].Reason, "over the limit of 196608") {
			t.Errorf("%s: documents %v, rejects %v", format, got.docs, got.rejects)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > size/2 {
			t.Errorf("%s: a line of %d bytes allocated %d", format, size, used)
		}
	}
}

// resumeInput contains every kind of position: named files, a directory, records, archives,
// archives in a directory, and rejects.
func resumeInput(t *testing.T, dir string) []string {
	var lines, rows strings.Builder
	rows.WriteString("id,text,n\n")
	for i := range 20 {
		fmt.Fprintf(&lines, `{"id":"j%d","text":"x"}`+"\n", i)
		fmt.Fprintf(&rows, "c%d,\"x\ny\",1\n", i)
		if i%7 == 3 {
			lines.WriteString("bad\n\n")
			rows.WriteString("ragged\n")
		}
	}
	archive := tarOf(t, "p", "1", "../q", "2", "r.jsonl", lines.String(), "s", "3", "t.zip", "no", "z\nz", "4")
	for name, content := range map[string]string{
		"dir/a.jsonl": lines.String(), "dir/a/x.txt": "1", "dir/a.txt": "2", "dir/b.bin": "\x00", "dir/c.tar": archive,
		"dir/d.csv": rows.String(), "dir/e.zip": zipOf(t, "1", "1", "2", "2", "3.csv", rows.String()), "dir/f:%2F g": "5",
		"one.txt": "6", "arch.tgz": cutGz(archive, len(archive)-3000), "rec.csv.gz": gz(rows.String()),
	} {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), content)
	}
	paths := []string{"-"}
	for _, name := range []string{"dir", "one.txt", "arch.tgz", "rec.csv.gz"} {
		paths = append(paths, filepath.Join(dir, name))
	}
	return paths
}

// Resuming after any batch yields exactly the remaining input.
func TestResume(t *testing.T) {
	dir := t.TempDir()
	paths := resumeInput(t, dir)
	read := func(o Options) result {
		o.Stdin = strings.NewReader("{\"id\":\"s1\",\"text\":\"x\"}\nbad\n{\"id\":\"s2\",\"text\":\"x\"}\n")
		return readAll(t, o, paths...)
	}
	for _, batchDocs := range []int{2, 256} {
		whole := read(Options{BatchDocs: batchDocs})
		if len(whole.docs) < 100 || len(whole.rejects) < 10 {
			t.Fatalf("test input has only %d documents and %d rejects", len(whole.docs), len(whole.rejects))
		}
		var docs []Doc
		var rejects []api.Reject
		var ends []Position
		for _, batch := range whole.batches {
			docs, rejects = append(docs, batch.Docs...), append(rejects, batch.Rejects...)
			if slices.Contains(ends, batch.End) {
				t.Errorf("position %s comes twice", batch.End)
			}
			ends = append(ends, batch.End)
			rest := read(Options{BatchDocs: 2, After: batch.End})
			rest.docs = append(slices.Clone(docs), rest.docs...)
			rest.rejects = append(slices.Clone(rejects), rest.rejects...)
			if got, want := rest.summary(dir), whole.summary(dir); got != want {
				t.Fatalf("resumed behind %s =\n%swant\n%s", batch.End, got, want)
			}
		}
		if rest := read(Options{After: ends[len(ends)-1]}); len(rest.batches) != 0 {
			t.Errorf("a finished import resumed gives %v", rest.batches)
		}
	}
}

func TestResumeOther(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.txt"), filepath.Join(dir, "b.txt")
	write(t, a, "x")
	write(t, b, "x")
	end := readAll(t, Options{}, a, b).batches[0].End
	for _, test := range []struct {
		o     Options
		paths []string
	}{
		{Options{After: end}, []string{a}},
		{Options{After: end}, []string{b, a}},
		{Options{After: end, Format: "jsonl"}, []string{a, b}},
		{Options{After: "garbage"}, []string{a, b}},
		{Options{After: end[:len(end)-4]}, []string{a, b}},
	} {
		for batch, err := range Read(t.Context(), test.paths, test.o) {
			if err == nil || batch != nil {
				t.Errorf("Read(%v) with %+v yielded %v, %v; want an error", test.paths, test.o, batch, err)
			}
		}
	}
}

// touch writes a file and sets its time.
func touch(t *testing.T, path, content string, seconds int64) {
	t.Helper()
	write(t, path, content)
	if err := os.Chtimes(path, time.Time{}, time.Unix(seconds, 0)); err != nil {
		t.Fatal(err)
	}
}

// Input after the position may change. Input before it must not: no file, and no byte of the file
// of the position.
func TestResumeChanged(t *testing.T) {
	lines := func(n int, text string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `{"id":"%d","text":%q}`+"\n", i, text)
		}
		return b.String()
	}
	archive := func(first string) string { return tarOf(t, "first", first, "r.jsonl", lines(3, "x"), "z", "z") }
	for _, test := range []struct {
		name   string
		change func(t *testing.T, dir string)
		want   string // the remaining input, "" for ErrChanged
	}{
		{"nothing", func(*testing.T, string) {}, "2=\"x\"\ne.txt=\"e\"\n"},
		{"the same again", func(t *testing.T, dir string) { touch(t, dir+"/b.txt", "b", 1) }, "2=\"x\"\ne.txt=\"e\"\n"},
		{"grown", func(t *testing.T, dir string) { touch(t, dir+"/d.jsonl", lines(4, "x"), 9) }, "2=\"x\"\n3=\"x\"\ne.txt=\"e\"\n"},
		{"a rest changed", func(t *testing.T, dir string) { touch(t, dir+"/d.jsonl", lines(2, "x")+"{}\n", 9) }, "e.txt=\"e\"\nreject d.jsonl:3 : no field \"text\"\n"},
		{"a file behind", func(t *testing.T, dir string) { write(t, dir+"/d.txt", "new") }, "2=\"x\"\nd.txt=\"new\"\ne.txt=\"e\"\n"},
		{"no rest", func(t *testing.T, dir string) { touch(t, dir+"/d.jsonl", lines(2, "x"), 9) }, "e.txt=\"e\"\n"},

		{"a byte", func(t *testing.T, dir string) { touch(t, dir+"/d.jsonl", lines(3, "y"), 4) }, ""},
		{"shorter", func(t *testing.T, dir string) { touch(t, dir+"/d.jsonl", lines(1, "x"), 4) }, ""},
		{"gone", func(t *testing.T, dir string) { os.Remove(dir + "/d.jsonl") }, ""},
		{"gone with all behind", func(t *testing.T, dir string) { os.Remove(dir + "/d.jsonl"); os.Remove(dir + "/e.txt") }, ""},
		{"an earlier size", func(t *testing.T, dir string) { touch(t, dir+"/b.txt", "bb", 1) }, ""},
		{"an earlier time", func(t *testing.T, dir string) { touch(t, dir+"/b.txt", "c", 2) }, ""},
		{"an earlier gone", func(t *testing.T, dir string) { os.Remove(dir + "/b.txt") }, ""},
		{"an earlier come", func(t *testing.T, dir string) { write(t, dir+"/a.txt", "new") }, ""},
		{"an earlier renamed", func(t *testing.T, dir string) { os.Rename(dir+"/b.txt", dir+"/a.txt") }, ""},
		{"an earlier archive", func(t *testing.T, dir string) { touch(t, dir+"/c.tar", archive("other"), 7) }, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, glob := range []string{"", "/**"} {
				dir := t.TempDir()
				touch(t, dir+"/b.txt", "b", 1)
				touch(t, dir+"/c.tar", archive("1"), 2)
				touch(t, dir+"/d.jsonl", lines(3, "x"), 3)
				touch(t, dir+"/e.txt", "e", 4)
				behind := readAll(t, Options{BatchDocs: 2}, dir+glob).batches[3]
				if len(behind.Docs) != 2 || behind.Docs[1].ID != "1" {
					t.Fatalf("the fourth batch has %v, want it to end in d.jsonl", behind.Docs)
				}
				test.change(t, dir)
				var got result
				var failed error
				for b, err := range Read(t.Context(), []string{dir + glob}, Options{After: behind.End}) {
					if failed = err; err == nil {
						got.docs, got.rejects = append(got.docs, b.Docs...), append(got.rejects, b.Rejects...)
					}
				}
				if test.want != "" {
					if got := got.summary(dir); failed != nil || got != test.want {
						t.Errorf("resumed =\n%s%v, want\n%s", got, failed, test.want)
					}
				} else if !errors.Is(failed, api.ErrChanged) || !strings.Contains(failed.Error(), "without --resume") || len(got.docs) > 0 {
					t.Errorf("resumed = %v, %v, want ErrChanged and what to do", got.docs, failed)
				}
			}
		})
	}
}

// The same holds for archives, standard input and named files.
func TestResumeChangedInside(t *testing.T) {
	const records = "{\"id\":\"1\",\"text\":\"x\"}\n{\"id\":\"2\",\"text\":\"y\"}\n"
	for _, test := range []struct{ name, was, is string }{
		{"a.tar", tarOf(t, "a", "1", "b", "2"), tarOf(t, "a", "11", "b", "2")},
		{"b.tar", tarOf(t, "a", "1", "b", "2"), tarOf(t, "c", "1", "b", "2")},
		{"a.zip", zipOf(t, "a", "1", "b", "2"), zipOf(t, "a", "3", "b", "2")},
		{"a.zip", zipOf(t, "a", "1", "b", "2"), zipOf(t, "a", "1", "b", "3")},
		{"a.jsonl.gz", gz(records), gz(strings.Replace(records, "y", "z", 1))},
		{"a.csv", "id,text\na,x\nb,y\n", "id,text\na,z\nb,y\n"},
		{"a.txt", "x", "y"},
		{"-", records, records[:len(records)/2]},
	} {
		path := filepath.Join(t.TempDir(), test.name)
		touch(t, path, test.was, 1)
		if test.name == "-" {
			path = "-"
		}
		batches := readAll(t, Options{Stdin: strings.NewReader(test.was)}, path).batches
		o := Options{After: batches[len(batches)-1].End, Stdin: strings.NewReader(test.was)}
		if again := readAll(t, o, path); len(again.batches) != 0 {
			t.Errorf("%s: unchanged, it gives %v", test.name, again.batches)
		}
		if path != "-" {
			touch(t, path, test.is, 1)
		}
		o.Stdin = strings.NewReader(test.is)
		var failed error
		for _, err := range Read(t.Context(), []string{path}, o) {
			failed = err
		}
		if !errors.Is(failed, api.ErrChanged) {
			t.Errorf("%s: %v, want ErrChanged", test.name, failed)
		}
	}
}
