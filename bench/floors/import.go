package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// measureImport builds the command and imports the corpus with it.
func (r *results) measureImport(ctx context.Context, dir, store, corpus string) error {
	binary := filepath.Join(dir, "simdb")
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, "github.com/simdb/simdb/cmd/simdb")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build simdb: %w\n%s", err, out)
	}
	run := exec.CommandContext(ctx, binary, "import", "--quiet", store, corpus)
	run.Stderr = os.Stderr
	start := time.Now()
	if err := run.Run(); err != nil {
		return fmt.Errorf("import: %w", err)
	}
	took := time.Since(start)
	if err := r.countTexts(ctx, store); err != nil {
		return err
	}
	rate := float64(r.textBytes) / 1e6 / took.Seconds()
	r.add("import, durable and indexed", fmt.Sprintf("%.2f s, %.1f MB/s of text", took.Seconds(), rate), "≥ 30 MB/s", rate >= 30)
	if peak, ok := peakMemory(run.ProcessState); ok {
		r.add("peak memory of the import", fmt.Sprintf("%.0f MB", float64(peak)/1e6), "< 512 MB", peak < 512e6)
	}
	bytes, err := diskBytes(store)
	if err != nil {
		return err
	}
	r.note("disk after the import", fmt.Sprintf("%.1f MB, %.2f of the text, %.2f kB per document",
		float64(bytes)/1e6, float64(bytes)/float64(r.textBytes), float64(bytes)/1e3/float64(r.documents)))
	return nil
}

func diskBytes(dir string) (bytes int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			bytes += info.Size()
		}
		return err
	})
	return bytes, err
}
