package lab

// This file counts the bytes of a store on disk.

import (
	"errors"
	"io/fs"
	"path/filepath"
)

// DiskBytes returns the bytes of all files under a folder. A store that is open
// may take some away meanwhile.
func DiskBytes(dir string) (bytes int64, err error) {
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
