// Package durable creates, replaces and copies files and directories so that they survive a
// crash of the machine. WriteSummed is atomic: after a crash the file has its old or its new
// contents. The package handles paths and bytes, not the formats of a store. Begin reading with
// SyncDir.
package durable

import (
	"context"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Castagnoli is the CRC-32C table of every checksum in a store.
var Castagnoli = crc32.MakeTable(crc32.Castagnoli)

// MakeDir creates a directory and its parents, and syncs the name of each.
func MakeDir(f vfs.FS, path string) error {
	if _, err := f.Stat(path); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	parent := f.PathDir(path)
	if parent != path {
		if err := MakeDir(f, parent); err != nil {
			return err
		}
	}
	if err := f.MkdirAll(path, 0o755); err != nil {
		return err
	}
	return SyncDir(f, parent)
}

// Exists reports whether a file or directory exists. Any error counts as absence.
func Exists(f vfs.FS, path string) bool {
	_, err := f.Stat(path)
	return err == nil
}

// SyncDir makes the names in a directory durable. A new or renamed file survives a crash only
// after the sync of its directory.
func SyncDir(fs vfs.FS, dir string) error {
	d, err := fs.OpenDir(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// SyncFile makes the contents of a file durable.
func SyncFile(f vfs.FS, path string) error {
	file, err := f.OpenReadWrite(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// copyBytes is the number of bytes copied between two checks of the context.
const copyBytes = 1 << 20

// CopyFile copies and syncs a file. The caller syncs the directory. On error the copy is
// incomplete.
func CopyFile(ctx context.Context, f vfs.FS, from, to string) error {
	in, err := f.Open(from, vfs.SequentialReadsOption)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := f.Create(to, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	for err == nil {
		if err = ctx.Err(); err == nil {
			_, err = io.CopyN(out, in, copyBytes)
		}
	}
	if err != io.EOF {
		return errors.Join(err, out.Close())
	}
	return errors.Join(out.Sync(), out.Close())
}

// CopyDir copies a directory recursively, durably. The target may exist.
func CopyDir(ctx context.Context, f vfs.FS, from, to string) error {
	names, err := f.List(from)
	if err != nil {
		return err
	}
	if err := MakeDir(f, to); err != nil {
		return err
	}
	for _, name := range names {
		from, to := f.PathJoin(from, name), f.PathJoin(to, name)
		info, err := f.Stat(from)
		switch {
		case err != nil:
			return err
		case info.IsDir():
			err = CopyDir(ctx, f, from, to)
		default:
			err = CopyFile(ctx, f, from, to)
		}
		if err != nil {
			return err
		}
	}
	return SyncDir(f, to)
}
