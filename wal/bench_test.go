package wal

// These benchmarks time the log beside what the disk takes by itself.

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// BenchmarkRaw is the floor for BenchmarkAppendWait/writers=1: the same bytes
// written and synced without a log.
func BenchmarkRaw(b *testing.B) {
	f, err := vfs.Default.Create(filepath.Join(b.TempDir(), "raw"), vfs.WriteCategoryUnspecified)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	buf := make([]byte, 1024+frameHeadSize)
	for b.Loop() {
		if _, err := f.Write(buf); err != nil {
			b.Fatal(err)
		}
		if err := f.SyncData(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkAppendWait appends records of 1 kB and waits for each.
func BenchmarkAppendWait(b *testing.B) {
	for _, writers := range []int{1, 32} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			l := startedLog(b, vfs.Default, b.TempDir(), Options{})
			payload := make([]byte, 1024)
			var mu sync.Mutex
			var seq uint64
			var wg sync.WaitGroup
			b.ReportAllocs()
			b.ResetTimer()
			for range writers {
				wg.Go(func() {
					for {
						mu.Lock()
						if seq == uint64(b.N) {
							mu.Unlock()
							return
						}
						seq++
						t, err := l.Append(seq, payload)
						mu.Unlock()
						if err == nil {
							err = t.Wait(context.Background())
						}
						if err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			wg.Wait()
		})
	}
}

// BenchmarkAppend is the work of Append alone; the file system is memory.
func BenchmarkAppend(b *testing.B) {
	l := startedLog(b, discardFS{vfs.NewMem()}, "wal", Options{SegmentBytes: 1 << 50})
	payload := make([]byte, 1024)
	b.SetBytes(int64(len(payload)))
	b.ReportAllocs()
	var seq uint64
	for b.Loop() {
		seq++
		if _, err := l.Append(seq, payload); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReplay reads 10,000 records of 1 kB from memory.
func BenchmarkReplay(b *testing.B) {
	const n = 10_000
	fs := vfs.NewMem()
	l := startedLog(b, fs, "wal", Options{})
	payload := make([]byte, 1024)
	for seq := range uint64(n) {
		mustAppend(b, l, seq+1, payload)
	}
	if err := l.Close(); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(n * 1024)
	for b.Loop() {
		l, err := Open(fs, "wal", Options{})
		if err != nil {
			b.Fatal(err)
		}
		r, err := l.Replay(0, func(uint64, []byte) error { return nil })
		if err != nil || r.Records != n {
			b.Fatalf("Replay = %+v, %v", r, err)
		}
	}
}

// discardFS forgets what is written to its files.
type discardFS struct{ vfs.FS }

func (fs discardFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := fs.FS.Create(name, c)
	return discardFile{f}, err
}

type discardFile struct{ vfs.File }

func (discardFile) Write(p []byte) (int, error) { return len(p), nil }
