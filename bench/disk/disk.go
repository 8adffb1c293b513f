// Package disk counts the bytes of a store on disk.
package disk

import (
	"errors"
	"io/fs"
	"path/filepath"
)

// Bytes returns the bytes of all files under a folder. A store that is open
// may take some away meanwhile.
func Bytes(dir string) (bytes int64, err error) {
	err = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && name != dir {
			return nil
		}
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		} else if err == nil {
			bytes += info.Size()
		}
		return err
	})
	return bytes, err
}
