package content_test

// These tests load content from folders good and bad. What a loader must never
// do, writing outside its folder or over other files, is tried here.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/simdb/simdb/internal/report"
	"github.com/simdb/simdb/lab/content"
)

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func read(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(name)
		rel, _ := filepath.Rel(dir, name)
		files[filepath.ToSlash(rel)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestLoad(t *testing.T) {
	ctx := context.Background()
	in := t.TempDir()
	text := strings.Repeat("some words of a text. ", 50)
	write(t, in, map[string]string{"a.txt": text, "sub/b.bin": "\x00" + text, "empty": "", "new\nline.txt": "x"})
	outs := []string{filepath.Join(t.TempDir(), "new", "out"), t.TempDir()}
	for _, out := range outs {
		if err := (content.Loader{}).Load(ctx, in, out, report.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	got := read(t, outs[0])
	want := []string{"empty", "empty_dup"}
	for _, name := range []string{"a%s.txt", "sub/b%s.bin", "new\nline%s.txt"} {
		for _, suffix := range []string{"", "_dup", "_d_1", "_d_5", "_d_10", "_d_25", "_i_1", "_i_5", "_i_10", "_i_25"} {
			want = append(want, fmt.Sprintf(name, suffix))
		}
	}
	slices.Sort(want)
	if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, want) {
		t.Errorf("Load wrote %q, want %q", names, want)
	}
	if got["a.txt"] != text || got["a_dup.txt"] != text || got["a_d_10.txt"] == text || got["sub/b_dup.bin"] != "\x00"+text {
		t.Error("the control, its copy or a variant has not the content it should have")
	}
	if again := read(t, outs[1]); !maps.Equal(got, again) {
		t.Error("Load writes something else the second time")
	}
}

func TestLoadRefuses(t *testing.T) {
	ctx := context.Background()
	in := t.TempDir()
	write(t, in, map[string]string{"a.txt": "a text"})
	full := t.TempDir()
	write(t, full, map[string]string{"mine": "precious", "a.txt": "old"})
	if err := (content.Loader{}).Load(ctx, in, full, report.Options{}); !errors.Is(err, content.ErrNotEmpty) || len(read(t, full)) != 2 {
		t.Errorf("Load into a full folder = %v, which now holds %d files", err, len(read(t, full)))
	}
	if err := (content.Loader{Force: true}).Load(ctx, in, full, report.Options{}); err != nil {
		t.Fatal(err)
	}
	if got := read(t, full); got["mine"] != "precious" || got["a.txt"] != "a text" || len(got) != 11 {
		t.Errorf("forced into a full folder: %q", got)
	}
	clash := t.TempDir()
	write(t, clash, map[string]string{"a.txt": "a", "a_dup.txt": "b"})
	out := filepath.Join(t.TempDir(), "out")
	if err := (content.Loader{}).Load(ctx, clash, out, report.Options{}); err == nil || !strings.Contains(err.Error(), "a_dup.txt") {
		t.Errorf("Load of files that would overwrite each other = %v", err)
	}
	for _, inside := range []string{in, filepath.Join(in, "new"), filepath.Join(in, "new", "out")} {
		if err := (content.Loader{Force: true}).Load(ctx, in, inside, report.Options{}); err == nil {
			t.Errorf("Load of %s into %s: no error", in, inside)
		}
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(in, link); err != nil {
		t.Fatal(err)
	}
	if err := (content.Loader{}).Load(ctx, in, filepath.Join(link, "out"), report.Options{}); err == nil {
		t.Error("Load into its own folder through a link: no error")
	}
	for _, n := range []int{0, 101, -1} {
		if err := (content.Loader{Percents: []int{n}}).Load(ctx, in, out, report.Options{}); err == nil {
			t.Errorf("Load with %d %%: no error", n)
		}
	}
	empty, none := t.TempDir(), filepath.Join(t.TempDir(), "none")
	if err := (content.Loader{}).Load(ctx, empty, none, report.Options{}); err == nil || !strings.Contains(err.Error(), empty+" holds no file") {
		t.Errorf("Load of an empty folder = %v", err)
	}
	if _, err := os.Stat(none); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Load of an empty folder made another: %v", err)
	}
	twice := filepath.Join(t.TempDir(), "twice")
	if err := (content.Loader{Percents: []int{5, 1, 5}}).Load(ctx, in, twice, report.Options{}); err != nil {
		t.Errorf("Load with 5 %% twice = %v", err)
	}
	if err := (content.Loader{}).Load(ctx, filepath.Join(in, "nosuch"), out, report.Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Load of nothing = %v, want fs.ErrNotExist", err)
	}
	if _, err := os.Stat(out); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s was made for nothing: %v", out, err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if err := (content.Loader{}).Load(ended, in, out, report.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Load = %v, want context.Canceled", err)
	}
}

// Links are neither read nor written through.
func TestLoadFollowsNoLinks(t *testing.T) {
	ctx := context.Background()
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	in, out := t.TempDir(), t.TempDir()
	write(t, in, map[string]string{"a.txt": "a text", "sub/b.txt": "b"})
	if err := os.WriteFile(filepath.Join(in, "big"), bytes.Repeat([]byte("x"), 7<<20+1), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{
		filepath.Join(in, "link.txt"): secret, filepath.Join(in, "dir"): filepath.Dir(secret),
		filepath.Join(out, "a.txt"): secret, filepath.Join(out, "sub"): filepath.Dir(secret),
	} {
		if err := os.Symlink(to, name); err != nil {
			t.Fatal(err)
		}
	}
	var told []string
	l := content.Loader{Force: true, OnLeftOut: func(name, why string) { told = append(told, name+": "+why) }}
	err := l.Load(ctx, in, out, report.Options{})
	if err == nil {
		t.Error("Load through a linked folder that leads out: no error")
	}
	if b, _ := os.ReadFile(secret); string(b) != "secret" {
		t.Errorf("Load wrote %q through a link", b)
	}
	if entries, _ := os.ReadDir(filepath.Dir(secret)); len(entries) != 1 {
		t.Errorf("Load wrote %d files out of its folder", len(entries)-1)
	}
	if err := os.Remove(filepath.Join(out, "sub")); err != nil {
		t.Fatal(err)
	}
	if err := l.Load(ctx, in, out, report.Options{}); err != nil {
		t.Fatal(err)
	}
	for name, text := range read(t, out) {
		if text == "secret" || strings.Contains(name, "link") || strings.Contains(name, "big") {
			t.Errorf("Load took %s in", name)
		}
	}
	if all := strings.Join(told, "\n"); !strings.Contains(all, "link.txt: no regular file") || !strings.Contains(all, "big: larger than 7 MiB") {
		t.Errorf("Load does not tell what it left out: %q", told)
	}
}
