// Command stores measures what many small stores of one process take: memory, goroutines, open
// files and time. Each has one document. Then it measures the files and the disk of one store of
// 20 texts, open and closed, put in one session and in 20.
//
//	go -C bench run ./stores -n 1000 -at 16 -shared
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

func main() {
	n := flag.Int("n", 1000, "stores")
	shared := flag.Bool("shared", false, "open them with one simdb.Shared")
	collections := flag.Bool("collections", false, "one store with as many collections")
	at := flag.Int("at", 1, "so many are opened, written or closed at once")
	dir := flag.String("dir", "", "where they are; empty: a temporary directory")
	flag.Parse()
	if err := run(&many{n: *n, at: *at, collections: *collections}, *shared, *dir); err != nil {
		log.Fatal(err)
	}
}

func run(m *many, shared bool, dir string) (err error) {
	if m.dir, err = os.MkdirTemp(dir, "stores-"); err != nil {
		return err
	}
	defer os.RemoveAll(m.dir)
	if shared {
		m.options.Shared = &simdb.Shared{}
	}
	m.stores = make([]*simdb.DB, m.n)
	if m.collections {
		m.stores = m.stores[:1]
	}
	fmt.Printf("%d tenants, collections %v, shared %v, %d at once\n", m.n, m.collections, shared, m.at)
	fmt.Println("step                    seconds   heap MB   RSS MB  goroutines  files")
	stores := len(m.stores)
	for _, step := range []struct {
		name string
		n    int
		do   func(i int) error
	}{
		{"make", stores, m.open}, {"put a document", m.n, m.put}, {"ask", m.n, m.ask}, {"close", stores, m.close},
		{"open", stores, m.open}, {"ask", m.n, m.ask}, {"close, nothing written", stores, m.close},
	} {
		if err := m.each(step.name, step.n, step.do); err != nil {
			return err
		}
	}
	fmt.Println("a store of 20 texts          files  kB on disk")
	for _, sessions := range []int{1, 20} {
		if err := small(filepath.Join(m.dir, fmt.Sprint("small", sessions)), sessions); err != nil {
			return err
		}
	}
	return nil
}

// small puts 20 texts into a store, in sessions, and prints its files and its disk.
func small(dir string, sessions int) error {
	var db *simdb.DB
	for i := range 20 {
		var err error
		if i*sessions%20 == 0 {
			if db != nil {
				err = db.Close()
			}
			if err == nil {
				db, err = simdb.Open(dir, nil)
			}
			if err != nil {
				return err
			}
		}
		if err := db.Put(context.Background(), api.Document{ID: fmt.Sprint(i), Text: text(i)}); err != nil {
			return err
		}
	}
	weigh(fmt.Sprintf("%d sessions, open", sessions), dir)
	if err := db.Close(); err != nil {
		return err
	}
	weigh(fmt.Sprintf("%d sessions, closed", sessions), dir)
	return nil
}

// weigh prints the files of a directory and the disk they take, directories included.
func weigh(name, dir string) {
	files, bytes := 0, int64(0)
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil {
			bytes += (info.Size() + 4095) / 4096 * 4096
		}
		if !d.IsDir() {
			files++
		}
		return err
	})
	fmt.Printf("%-28s %6d %10.1f\n", name, files, float64(bytes)/1e3)
}

// many are tenants: stores, or collections of one.
type many struct {
	n, at       int
	collections bool
	dir         string
	options     simdb.Options
	stores      []*simdb.DB
}

// of returns the store and the collection of a tenant.
func (m *many) of(tenant int) (db *simdb.DB, collection string) {
	if m.collections {
		return m.stores[0], fmt.Sprintf("tenant%d", tenant)
	}
	return m.stores[tenant], ""
}

// each does a step n times, and prints what it took.
func (m *many) each(name string, n int, do func(i int) error) error {
	begun := time.Now()
	var wait sync.WaitGroup
	var mu sync.Mutex
	var err error
	free := make(chan bool, m.at)
	for i := range n {
		free <- true
		wait.Go(func() {
			failed := do(i)
			<-free
			mu.Lock()
			defer mu.Unlock()
			err = errors.Join(err, failed)
		})
	}
	wait.Wait()
	took := time.Since(begun)
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	fmt.Printf("%-22s %8.2f %9.1f %8.1f %11d %6d\n", name, took.Seconds(),
		float64(s.HeapAlloc)/1e6, float64(resident())/1e6, runtime.NumGoroutine(), files())
	return err
}

func (m *many) open(i int) (err error) {
	m.stores[i], err = simdb.Open(filepath.Join(m.dir, fmt.Sprintf("%05d", i)), &m.options)
	return err
}

func (m *many) put(i int) error {
	db, collection := m.of(i)
	return db.Put(context.Background(), api.Document{Collection: collection, ID: "one", Text: text(i)})
}

// text returns the text of a tenant.
func text(i int) string {
	return fmt.Sprintf("The tenant of number %d has one document, which says so in a dozen words or a few more.", i)
}

func (m *many) ask(i int) error {
	db, collection := m.of(i)
	for _, err := range db.Similar(context.Background(), api.ByID("one"), simdb.MinSim(0.5), simdb.In(collection)) {
		return err
	}
	return nil
}

func (m *many) close(i int) error { return m.stores[i].Close() }

// resident is what the process takes of memory; 0 where the system does not say.
func resident() int64 {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	pages, _ := strconv.ParseInt(strings.Fields(string(b))[1], 10, 64)
	return pages * int64(os.Getpagesize())
}

// files is how many the process has open; 0 where the system does not say.
func files() int {
	open, _ := os.ReadDir("/proc/self/fd")
	return len(open)
}
