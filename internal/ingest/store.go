package ingest

// Databases of simdb within the input. Their files are not texts. Moreover, a process that closes
// any file of its own database, even after only reading it, may lose its lock on the file.
// Therefore this package opens no file of a database but STATE, which identifies a database and is
// never locked.

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// stateName is the file that identifies a database, and stateMagic its beginning. The store creates
// it before all other files except the lock.
const (
	stateName  = "STATE"
	stateMagic = "simdb "
)

// IsStore reports whether a directory is a database. An unreadable STATE counts as none.
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

// StoreAround returns the database that contains a path, or "" if there is none. The path itself
// need not exist.
func StoreAround(path string) (string, error) {
	path = filepath.FromSlash(path) // Windows accepts both separators
	real, err := filepath.EvalSymlinks(path)
	// For a missing path, the nearest existing parent decides.
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

// outsideStores returns an error for a named path in a database.
func outsideStores(path string) error {
	store, err := StoreAround(path)
	if err == nil && store != "" {
		err = fmt.Errorf("%s belongs to the database %s, whose files are no texts; leave it out, or write its documents to a file by simdb export and import that", path, store)
	}
	return err
}
