package pdftext

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// file builds a PDF from objects numbered from 1; the first is the catalog.
func file(objects ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	var at []int
	for i, o := range objects {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, n := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", n)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d /Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, xref)
	return b.Bytes()
}

func content(s string) string {
	return fmt.Sprintf("<</Length %d>>stream\n%s\nendstream", len(s), s)
}

const (
	catalog = "<</Type/Catalog/Pages 2 0 R>>"
	fonts   = "/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>"
)

// Pages are read in the order of their tree, regardless of its counts, with the
// inherited resources.
func TestPages(t *testing.T) {
	node := "<</Type/Pages/Count 1" + fonts + "/Kids[3 0 R 4 0 R]>>"
	got, err := Read(file(catalog, node,
		"<</Type/Pages/Count 9/Kids[5 0 R null]>>", "<</Type/Page/Contents 7 0 R>>",
		"<</Type/Page/Contents 6 0 R>>", content("BT /F 9 Tf (one) Tj ET"), content("BT /F 9 Tf (two) Tj ET")), 1<<20)
	if want := "one\n\ntwo"; err != nil || got.Text != want {
		t.Errorf("Read = %q, %v, want %q", got.Text, err, want)
	}
}

// A word hyphenated at the end of a line, or of a column, is joined; other hyphens
// stay.
func TestHyphenation(t *testing.T) {
	for drawn, want := range map[string]string{
		`(the har-) Tj T* (bour is full) Tj`:     "the harbour is full",
		`(the har- ) Tj T* (bour) Tj`:            "the harbour",
		"(the har\xad) Tj T* (bour) Tj":          "the harbour",
		`(the har) Tj (-) Tj T* (bo) Tj (ur) Tj`: "the harbour",
		`(the har-) Tj 300 400 Td (bour) Tj`:     "the harbour",
		`(North-) Tj T* (South) Tj`:              "North-\nSouth",
		`(1990-) Tj T* (to 1995) Tj`:             "1990-\nto 1995",
		`(a dash -) Tj T* (and more) Tj`:         "a dash -\nand more",
		`(well-known) Tj T* (ships) Tj`:          "well-known\nships",
	} {
		got, err := Read(file(catalog, "<</Type/Pages/Count 1/Kids[3 0 R]"+strings.Replace(fonts, "/Helvetica", "/Helvetica/Encoding/WinAnsiEncoding", 1)+">>", "<</Type/Page/Parent 2 0 R/Contents 4 0 R>>",
			content("BT /F 9 Tf 10 TL "+drawn+" ET")), 1<<20)
		if err != nil || got.Text != want {
			t.Errorf("%q gives %q, %v, want %q", drawn, got.Text, err, want)
		}
	}
}

// An endless tree of pages is rejected.
func TestEndlessTree(t *testing.T) {
	page := "<</Type/Page/Parent 2 0 R/Contents 4 0 R>>"
	words := content("BT /F 9 Tf (x) Tj ET")
	doubling := []string{catalog} // each node has the next one twice
	for n := range 40 {
		doubling = append(doubling, fmt.Sprintf("<</Type/Pages/Count 2/Kids[%d 0 R %[1]d 0 R]>>", n+3))
	}
	for _, test := range []struct {
		what, want string
		pdf        []byte
	}{
		{"its own kid", "contains itself", file(catalog, "<</Type/Pages/Count 1/Kids[2 0 R]>>")},
		{"its own kid after a page", "contains itself", file(catalog, "<</Type/Pages/Count 90000/Kids[3 0 R 2 0 R]>>", page, words)},
		{"its own grandchild", "contains itself", file(catalog, "<</Type/Pages/Count 1/Kids[5 0 R]>>", page, words, "<</Type/Pages/Count 1/Kids[3 0 R 2 0 R]>>")},
		{"a doubling", "over 100000 nodes", file(doubling...)},
	} {
		got, err := Read(test.pdf, 1<<20)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: Read = %q, %v, want %q", test.what, got.Text, err, test.want)
		}
	}
	own := file(catalog, "<</Type/Pages/Count 1/Kids[3 0 R]/Parent 2 0 R>>", page, words) // and no resources
	if got, err := Read(own, 1<<20); err != nil || got.Text != "x" {
		t.Errorf("its own parent: Read = %q, %v", got.Text, err)
	}
}
