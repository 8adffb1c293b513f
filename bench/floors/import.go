package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/simdb/simdb/bench/lab"
)

// build makes the command simdb in dir.
func build(ctx context.Context, dir string) (binary string, err error) {
	binary = filepath.Join(dir, "simdb")
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, "github.com/simdb/simdb/cmd/simdb")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build simdb: %w\n%s", err, out)
	}
	return binary, nil
}

// runImport imports the corpus with the command.
func runImport(ctx context.Context, binary string, args ...string) (took time.Duration, state *os.ProcessState, err error) {
	run := exec.CommandContext(ctx, binary, append([]string{"import", "--quiet"}, args...)...)
	run.Stderr = os.Stderr
	start := time.Now()
	if err := run.Run(); err != nil {
		return 0, nil, fmt.Errorf("import: %w", err)
	}
	return time.Since(start), run.ProcessState, nil
}

// measureImport imports the corpus.
func (r *results) measureImport(ctx context.Context, binary, store, corpus string) error {
	took, state, err := runImport(ctx, binary, store, corpus)
	if err != nil {
		return err
	}
	if err := r.countTexts(ctx, store); err != nil {
		return err
	}
	rate := float64(r.textBytes) / 1e6 / took.Seconds()
	r.add("import, durable and indexed", fmt.Sprintf("%.2f s, %.1f MB/s of text", took.Seconds(), rate), "≥ 30 MB/s", rate >= 30)
	if peak, ok := peakMemory(state); ok {
		r.add("peak memory of the import", fmt.Sprintf("%.0f MB", float64(peak)/1e6), "< 512 MB", peak < 512e6)
	}
	bytes, err := lab.DiskBytes(store)
	if err != nil {
		return err
	}
	r.note("disk after the import", fmt.Sprintf("%.1f MB, %.2f of the text, %.2f kB per document",
		float64(bytes)/1e6, float64(bytes)/float64(r.textBytes), float64(bytes)/1e3/float64(r.documents)))
	return nil
}

// measureKept imports the corpus into a collection that keeps its texts.
func (r *results) measureKept(ctx context.Context, binary, store, corpus string) error {
	took, state, err := runImport(ctx, binary, store, corpus, "--with", keepsTexts)
	if err != nil {
		return err
	}
	r.note("import WITH ("+keepsTexts+")", fmt.Sprintf("%.2f s, %.1f MB/s of text", took.Seconds(), float64(r.textBytes)/1e6/took.Seconds()))
	if peak, ok := peakMemory(state); ok {
		r.note("peak memory of that import", fmt.Sprintf("%.0f MB", float64(peak)/1e6))
	}
	bytes, err := lab.DiskBytes(store)
	if err != nil {
		return err
	}
	r.note("disk after that import", fmt.Sprintf("%.1f MB, %.2f kB per document", float64(bytes)/1e6, float64(bytes)/1e3/float64(r.documents)))
	return nil
}
