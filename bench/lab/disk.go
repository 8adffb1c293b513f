package lab

import (
	"io/fs"
	"path/filepath"
)

// DiskBytes returns the bytes of all files under a folder.
func DiskBytes(dir string) (bytes int64, err error) {
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
