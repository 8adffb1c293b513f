package ingest

// One file has one id, however it is named.

import (
	"archive/tar"
	"bytes"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/simdb/simdb/internal/torture"
)

// ids returns the sorted ids of the documents and of the rejects.
func (r result) ids() (docs, rejects []string) {
	for _, d := range r.docs {
		docs = append(docs, d.ID)
	}
	for _, j := range r.rejects {
		rejects = append(rejects, j.ID)
	}
	slices.Sort(docs)
	slices.Sort(rejects)
	return docs, rejects
}

// tree creates a directory of files that an import reads in different ways.
func tree(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "tree")
	for name, content := range map[string]string{
		"LICENSE": "0", "a/LICENSE": "1", "b/LICENSE": "2", "b/c/d/LICENSE": "3", "a.b/x-y.txt": "4", "a.txt": "5", "a.txt.gz": gz("6"),
		"table.csv": "year,sum\n1,2\n", "records.jsonl": `{"id":"own","text":"7"}`, "image": "\x89PNG\r\n\x1a\n\x00",
		"b/.hidden/f": "8", "b/.git/config": "not read", "store/STATE": "simdb 1\n", "store/x": "not read",
	} {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), content)
	}
	for link, to := range map[string]string{"link.txt": "a.txt", "linked": "a", "b/up": ".."} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// ways lists every way to name the files of a directory. All must yield the same documents, with
// paths below the directory as ids.
func ways(t *testing.T, dir string) map[string][]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var shell, files []string
	for _, e := range entries { // like a shell's expansion of dir/*, including hidden files
		shell = append(shell, filepath.Join(dir, e.Name()))
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || d.IsDir() && isSkippedDir(path):
			return errorOr(err, fs.SkipDir)
		case !d.IsDir():
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	tarred := filepath.Join(t.TempDir(), "a.tar")
	write(t, tarred, tarOfDir(t, dir, files))
	t.Chdir(dir)
	return map[string][]string{
		"a directory":               {dir},
		"with a slash":              {dir + "/"},
		"the present directory":     {"."},
		"a glob":                    {dir + "/**"},
		"another glob":              {dir + "/**/*"},
		"a glob from here":          {"**"},
		"what a shell makes of a *": shell,
		"what find lists":           files,
		"several globs":             {dir + "/*", dir + "/*/*", dir + "/*/*/**/*"},
		"a tar":                     {tarred},
	}
}

func errorOr(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// tarOfDir archives a directory like tar: links remain links.
func tarOfDir(t *testing.T, dir string, files []string) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, path := range files {
		info, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		link := ""
		if info.Mode()&fs.ModeSymlink != 0 {
			link, _ = os.Readlink(path)
		}
		h, err := tar.FileInfoHeader(info, link)
		if err != nil {
			t.Fatal(err)
		}
		rel, _ := filepath.Rel(dir, path)
		h.Name = "./" + filepath.ToSlash(rel)
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if info.Mode().IsRegular() {
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write(content); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A file has the same id by directory, glob, argument and archive. Each way reads or rejects links,
// hidden files, databases and special files alike.
func TestIDsAgree(t *testing.T) {
	dir := tree(t)
	want := []string{"LICENSE", "a.b/x-y.txt", "a.txt", "a.txt.gz", "a/LICENSE", "b/.hidden/f", "b/LICENSE", "b/c/d/LICENSE", "own"}
	for way, paths := range ways(t, dir) {
		docs, rejects := readAll(t, Options{}, paths...).ids()
		if way == "several globs" { // each rejects the links
			slices.Sort(rejects)
			rejects = rejects[max(len(rejects)-5, 0):]
		}
		if !slices.Equal(docs, want) || len(rejects) != 5 {
			t.Errorf("%s gives documents\n%q and rejects\n%q, want\n%q and an image, a table without id and text, and three links", way, docs, rejects, want)
		}
	}
}

// Each way reads the same number of documents from a real directory.
func TestIDsAgreeOnRealDirectories(t *testing.T) {
	dirs := []string{"/usr/share/common-licenses", "/usr/share/doc"}
	if torture.Short() {
		dirs = dirs[:1]
	} else if modules, err := filepath.Abs(filepath.Join(os.Getenv("HOME"), "go/pkg/mod/github.com/cockroachdb")); err == nil {
		dirs = append(dirs, modules)
	}
	for _, dir := range dirs {
		if _, err := os.Stat(dir); err != nil {
			t.Logf("%s is not there, so it is not read", dir)
			continue
		}
		t.Run(filepath.Base(dir), func(t *testing.T) {
			want := []string(nil)
			all := ways(t, dir)
			for _, way := range []string{"a directory", "a glob", "what a shell makes of a *", "what find lists", "a tar"} {
				got := readAll(t, Options{}, all[way]...)
				// Only an archive differs: it is read in a directory but not in a tar.
				got.docs = slices.DeleteFunc(got.docs, func(d Doc) bool {
					return strings.Contains(d.ID, ".tar.") && !strings.Contains(path.Base(d.ID), ".tar.")
				})
				docs, rejects := got.ids()
				if want == nil {
					want = docs
					t.Logf("%d documents, %d rejects", len(docs), len(rejects))
				}
				if !slices.Equal(docs, want) {
					t.Errorf("%s gives %d documents, the directory %d, or with other ids", way, len(docs), len(want))
				}
			}
		})
	}
}

// The base of several paths is their deepest common directory.
func TestBase(t *testing.T) {
	dir := tree(t)
	t.Chdir(dir)
	for _, tt := range []struct {
		o     Options
		paths string
		want  string
	}{
		{Options{}, "a/LICENSE", "LICENSE"},
		{Options{}, "a/LICENSE b/LICENSE", "a/LICENSE b/LICENSE"},
		{Options{}, "b/LICENSE b/c/d/LICENSE", "LICENSE c/d/LICENSE"},
		{Options{}, "a b/c", "a/LICENSE b/c/d/LICENSE"},
		{Options{}, "a/* b/*/d/*", "a/LICENSE b/c/d/LICENSE"},
		{Options{}, "a/*", "LICENSE"},
		{Options{}, "linked", "LICENSE"},
		{Options{}, "link.txt", "link.txt"},
		{Options{}, "linked/ b/c/", "b/c/d/LICENSE linked/LICENSE"},
		{Options{Strip: 1}, "b/c a", "LICENSE c/d/LICENSE"},
		{Options{Strip: 9}, "b/c a", "LICENSE LICENSE"},
		{Options{Prefix: "p/"}, "a/LICENSE records.jsonl", "p/a/LICENSE p/own"},
		{Options{Prefix: "p-", Strip: 1}, "a b/c", "p-LICENSE p-c/d/LICENSE"},
		{Options{ID: "name"}, "a/LICENSE b/c a.txt.gz", "LICENSE LICENSE a.txt.gz"},
		{Options{ID: "sha256", Prefix: "h:"}, "a.txt a.txt.gz",
			"h:e7f6c011776e8db7cd330b54174fd76f7d0216b612387a5ffcfb81e6f0919683 h:ef2d127de37b942baad06145e54b0c619a1f22327b2ebbcfbec78f5564afe39d"},
	} {
		docs, _ := readAll(t, tt.o, strings.Fields(tt.paths)...).ids()
		if got := strings.Join(docs, " "); got != tt.want {
			t.Errorf("%+v of %s gives %s, want %s", tt.o, tt.paths, got, tt.want)
		}
	}
}

// The id of a record is its id field, or the hash of its text.
func TestIDsOfRecords(t *testing.T) {
	lines := `{"id":"a","doi":10,"text":"x"}` + "\n" + `{"doi":"b","text":"x"}` + "\n" + `{"text":"y"}` + "\n"
	table := "doi,id,text\n10,a,x\nb,,x\n"
	hashed := `2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881="x" {"doi":"10","id":"a"}` + "\n" +
		`2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881="x" {"doi":"b","id":""}` + "\n"
	checkSummary(t, Options{IDField: "doi"}, "a.jsonl", lines, "10=\"x\" {\"id\":\"a\"}\nb=\"x\"\nreject a.jsonl:3 : no field \"doi\", has [\"text\"]; --id-field and --text-field name others\n")
	checkSummary(t, Options{IDField: "doi", Prefix: "d/"}, "a.csv", table, "d/10=\"x\" {\"id\":\"a\"}\nd/b=\"x\" {\"id\":\"\"}\n")
	checkSummary(t, Options{ID: "sha256"}, "a.csv", table, hashed)
	checkSummary(t, Options{ID: "sha256"}, "a.csv", "doi\n1\n", "reject a.csv:1 : CSV header has no field \"text\", has [\"doi\"]; use --text-field NAME, or --text-field 2 for the second field of a file without a header\n")
	checkSummary(t, Options{IDField: "doi"}, "a.csv", "id,text\na,x\n", "reject a.csv:1 : CSV header has no field \"doi\", has [\"id\" \"text\"]; --id-field names another\n")
	if docs, rejects := readAll(t, Options{ID: "sha256"}, fileOf(t, "a.jsonl", lines)).ids(); len(docs) != 3 || docs[0] == docs[2] || len(rejects) != 0 {
		t.Errorf("by sha256: %q and %q, want 3 documents", docs, rejects)
	}
	for _, o := range []Options{{ID: "field:doi"}, {ID: "path/"}, {ID: "hash"}, {IDField: "text"}, {TextField: "id"}, {ID: "sha256", IDField: "doi"},
		{Delimiter: '"'}, {Delimiter: '\n'}, {Delimiter: 0xe9}} {
		for _, err := range Read(t.Context(), []string{fileOf(t, "a.txt", "x")}, o) {
			if err == nil {
				t.Errorf("Read with %+v: no error", o)
			}
		}
	}
}

func fileOf(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	write(t, path, content)
	return path
}
