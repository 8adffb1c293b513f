package ingest

// Databases of simdb among the input. Nothing in them is a text. There is a
// worse problem: if a process closes any file of its own database that it had
// opened, even for reading, it may lose the lock on it. So no file of a
// database is opened here but STATE, which marks it as a database and is never
// locked.

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// stateName is the file that makes a directory a database, and stateMagic is
// how it begins. It is written before any other file of a database except the
// lock.
const (
	stateName  = "STATE"
	stateMagic = "simdb "
)

// IsStore reports whether a directory is a database.
func IsStore(dir string) bool {
	path := filepath.Join(dir, stateName)
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, len(stateMagic))
	_, err = io.ReadFull(f, head)
	return err == nil && string(head) == stateMagic
}

// StoreAround returns the database that a path is or lies in, or "" if there is
// none. The path itself need not exist.
func StoreAround(path string) (string, error) {
	path = filepath.FromSlash(path) // Windows takes both kinds
	real, err := filepath.EvalSymlinks(path)
	for os.IsNotExist(err) {
		dir, _ := filepath.Split(strings.TrimRight(path, string(filepath.Separator)))
		if dir == path {
			return "", err
		}
		if path = dir; path == "" {
			path = "."
		}
		real, err = filepath.EvalSymlinks(path)
	}
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return "", err
	}
	for {
		if IsStore(real) {
			return real, nil
		}
		parent := filepath.Dir(real)
		if parent == real {
			return "", nil
		}
		real = parent
	}
}

// outsideStores refuses a named path that is a database or lies in one.
func outsideStores(path string) error {
	store, err := StoreAround(path)
	if err == nil && store != "" {
		err = fmt.Errorf("%s belongs to the database %s, whose files are no texts; leave it out, or write its documents to a file by simdb export and import that", path, store)
	}
	return err
}
