package main

// Memory of the process that reads a PDF.

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// bombPDF is a PDF of 700 bytes whose font names 999,999,999 characters, so that its
// reader takes memory without end.
func bombPDF() []byte {
	content := func(s string) string { return fmt.Sprintf("<</Length %d>>stream\n%s\nendstream", len(s), s) }
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	var at []int
	for i, o := range []string{"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 1/Kids[3 0 R]>>",
		"<</Type/Page/Contents 4 0 R/Resources<</Font<</F<</Type/Font/Subtype/Type1/ToUnicode 5 0 R>>>>>>>>",
		content("BT /F 9 Tf (x) Tj ET"),
		content("begincmap 1 begincodespacerange <00> <ff> endcodespacerange 999999999 beginbfchar <00> <0041> endbfchar endcmap")} {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, n := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", n)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d /Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, xref)
	return b.Bytes()
}

// A small PDF that exhausts memory gets no more than the largest inputs.
func TestMemoryOfAPDF(t *testing.T) {
	cmd := exec.Command("simdb", "read-pdf", "1048576")
	cmd.Stdin = bytes.NewReader(bombPDF())
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "memory") {
		t.Errorf("read-pdf ended with %v, %.200s", err, out)
	}
	most := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
	t.Logf("%d bytes of memory at most", most)
	if most > 512<<20 { // the aim of docs/reliability.md
		t.Errorf("it took %d bytes of memory, want at most 512 MiB", most)
	}
}
