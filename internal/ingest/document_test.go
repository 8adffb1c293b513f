package ingest

// Imports of documents: selection of the renderer, ids, and rejects.

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"
)

// shouting renders files with the extension .shout, and mails.
type shouting struct{}

func (shouting) Reads(name string, _ []byte) bool {
	return slices.Contains([]string{".shout", ".eml"}, filepath.Ext(name))
}

func (shouting) Render(_ context.Context, name, _ string, file []byte) (string, map[string]any, error) {
	if strings.Contains(string(file), "broken") {
		return "", nil, errors.New("shout: it is broken")
	}
	if !utf8.Valid(file) {
		return latin1(file), map[string]any{"charset": "latin"}, nil
	}
	return strings.ToUpper(string(file)), map[string]any{"title": filepath.Ext(name)}, nil
}

// The index files of a mail server in a Maildir are rejects without text, not failures.
func TestMailFolder(t *testing.T) {
	dir := t.TempDir()
	const mail = "From a@b Fri Jan  2 03:04:05 2026\nSubject: one\n\nfirst\n"
	for name, content := range map[string]string{"dovecot-uidlist": "3 V1 N5\n", "dovecot.index.cache": "\x00", "cur/1700000000.M1P1.shout": "x", "Inbox.2026": mail + "\n" + mail, "dovecot.txt": "x"} {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), content)
	}
	want := `Inbox.2026/1="FROM A@B FRI JAN  2 03:04:05 2026\nSUBJECT: ONE\n\nFIRST\n\n"
Inbox.2026/2="FROM A@B FRI JAN  2 03:04:05 2026\nSUBJECT: ONE\n\nFIRST\n"
cur/1700000000.M1P1.shout="X"
dovecot.txt="x"
`
	got := readAll(t, Options{Renderer: shouting{}}, dir)
	for i := range got.docs {
		got.docs[i].Meta = nil
	}
	for _, r := range got.rejects {
		if r.Kind != "mail index" || r.Reason != "mail index, not a text" {
			t.Errorf("reject %+v", r)
		}
	}
	if s := (result{docs: got.docs}).summary(dir); s != want || len(got.rejects) != 2 {
		t.Errorf("Read =\n%sand %d rejects, want\n%s", s, len(got.rejects), want)
	}
}

func TestDocuments(t *testing.T) {
	dir := t.TempDir()
	mailbox := "From a@b Fri Jan  2 03:04:05 2026\nSubject: one\n\nfirst\n>From here\n\nFrom a@b Fri Jan  2 03:04:05 2026\nSubject: two\n\nbroken\n\nFrom a@b Fri Jan  2 03:04:05 2026\n\nFrom the end of a line\n"
	for name, content := range map[string]string{
		"a.shout": "a", "a.txt": "a", "b.shout.gz": gz("b"), "c.zip": zipOf(t, "in.shout", "c"), "broken.shout": "broken",
		"latin.txt": "caf\xe9", "box.mbox": mailbox, "no.mbox": "no mail", "d.jsonl": `{"id":"own","text":"x","meta":1}`,
	} {
		write(t, filepath.Join(dir, name), content)
	}
	got := readAll(t, Options{Renderer: shouting{}}, dir)
	var lines []string
	for _, d := range got.docs {
		lines = append(lines, fmt.Sprintf("%s=%q %v %v %v", d.ID, d.Text, d.Meta["title"], d.Meta["path"], d.Meta["bytes"]))
	}
	for _, r := range got.rejects {
		lines = append(lines, fmt.Sprintf("reject %s: %s", r.ID, r.Reason))
	}
	want := []string{
		`a.shout="A" .shout a.shout 1`,
		`a.txt="a" <nil> <nil> <nil>`,
		`b.shout.gz="B" .shout b.shout.gz 1`,
		`box.mbox/1="FROM A@B FRI JAN  2 03:04:05 2026\nSUBJECT: ONE\n\nFIRST\nFROM HERE\n\n" .eml box.mbox/1 65`,
		`box.mbox/3="FROM A@B FRI JAN  2 03:04:05 2026\n\nFROM THE END OF A LINE\n" .eml box.mbox/3 58`,
		`c.zip/in.shout="C" .shout c.zip/in.shout 1`,
		`own="x" <nil> <nil> <nil>`,
		`latin.txt="café" <nil> latin.txt 4`,
		`no.mbox="no mail" <nil> <nil> <nil>`,
		`reject box.mbox/2: shout: it is broken`,
		`reject broken.shout: shout: it is broken`,
	}
	if !slices.Equal(lines, want) {
		t.Errorf("documents are read as\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	if d := got.docs[0]; d.Meta["sha256"] != "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb" {
		t.Errorf("the sha256 of a is %v", d.Meta["sha256"])
	}
	// With an explicit format, or without a renderer, files are read as before.
	for _, o := range []Options{{}, {Renderer: shouting{}, Format: "text"}} {
		for _, d := range readAll(t, o, filepath.Join(dir, "a.shout"), filepath.Join(dir, "latin.txt")).docs {
			if d.Meta != nil || strings.ToUpper(d.Text) == d.Text {
				t.Errorf("%+v reads %s as %q with %v", o, d.ID, d.Text, d.Meta)
			}
		}
	}
}

// An import can resume after any mail of a mailbox.
func TestResumeMailbox(t *testing.T) {
	var box strings.Builder
	for i := range 7 {
		fmt.Fprintf(&box, "From a@b Fri Jan  2 03:04:05 2026\nSubject: %d\n\ntext %d\n\n", i, i)
	}
	path := filepath.Join(t.TempDir(), "box.mbox")
	write(t, path, box.String())
	o := Options{Renderer: shouting{}, BatchDocs: 2}
	whole := readAll(t, o, path)
	for i, b := range whole.batches {
		o.After = b.End
		rest := readAll(t, o, path)
		if len(rest.batches) != len(whole.batches)-i-1 || len(rest.docs) > 0 && rest.docs[0].ID != fmt.Sprintf("box.mbox/%d", 2*(i+1)+1) {
			t.Errorf("after batch %d come %d batches, beginning with %v", i, len(rest.batches), rest.docs)
		}
	}
}

// A document of any size is rejected before it fills memory.
func TestLargeDocument(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.shout.gz")
	var packed strings.Builder
	w := gzip.NewWriter(&packed)
	zeros := make([]byte, 1<<20)
	for range maxDocumentBytes>>20 + 1 {
		if _, err := w.Write(zeros); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	write(t, path, packed.String())
	got := readAll(t, Options{Renderer: shouting{}, MaxRatio: -1}, path)
	if len(got.rejects) != 1 || !strings.Contains(got.rejects[0].Reason, "over the limit of 67108864") {
		t.Errorf("a document of 65 MiB gives %v and %d documents", got.rejects, len(got.docs))
	}
}
