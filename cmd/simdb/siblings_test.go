//go:build unix

package main

// The same text saved in every format: whoever saved it, its renditions are each other's
// near duplicates.

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Pandoc and Chromium write the formats, so that the input is independent of this code.
func TestSiblings(t *testing.T) {
	t.Parallel()
	needTool(t, "pandoc")
	needTool(t, "chromium")
	dir := t.TempDir()
	// A licence is prose without marks that a format would give another meaning.
	license, err := os.ReadFile("../../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for paragraph := range strings.SplitSeq(string(license), "\n\n") {
		text.WriteString(strings.Join(strings.Fields(paragraph), " ") + "\n\n")
	}
	if err := os.WriteFile(filepath.Join(dir, "t.txt"), []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	formats := []string{"docx", "odt", "epub", "rtf", "html", "md"}
	for _, format := range formats {
		convert(t, dir, "pandoc", "--standalone", "--metadata=title: ", "--from=markdown-fancy_lists-tex_math_dollars", "--output=t."+format, "t.txt")
	}
	convert(t, dir, "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+t.TempDir(),
		"--no-pdf-header-footer", "--print-to-pdf=t.pdf", "t.html")
	formats = append(formats, "pdf")
	db := filepath.Join(t.TempDir(), "db")
	simdbOutput(t, "import", "--quiet", db, dir)
	rows, _ := simdbOutput(t, "query", "--format", "csv", db, "SIMILAR TO 't.txt' WHERE sim >= 0.95 AND id <> 't.txt'")
	for _, format := range formats {
		if !strings.Contains(string(rows), "\nt."+format+",") {
			all, _ := simdbOutput(t, "query", "--format", "csv", db, "SIMILAR TO 't.txt' NEAREST 20")
			t.Errorf("t.%s is not among those at 0.95 or more of t.txt:\n%s", format, all)
		}
	}
}

// needTool skips a test where a program is missing, and fails it in CI.
func needTool(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err == nil {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s is missing; .ci/run installs it", name)
	}
	t.Skipf("%s is not installed", name)
}

// convert runs a program in a folder for at most a minute.
func convert(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
}
