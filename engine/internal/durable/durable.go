// Package durable is files and directories that survive a crash of the machine: they are
// made, replaced and copied so that there is all of one or none of it. It knows paths and
// bytes, not what a store has in them.
package durable

import (
	"context"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Castagnoli is the polynomial of every checksum in a store.
var Castagnoli = crc32.MakeTable(crc32.Castagnoli)

// MakeDir makes a directory and those above it, each durably in its parent.
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

// Exists says whether there is a file or a directory.
func Exists(f vfs.FS, path string) bool {
	_, err := f.Stat(path)
	return err == nil
}

// SyncDir makes the names in a directory durable.
func SyncDir(fs vfs.FS, dir string) error {
	d, err := fs.OpenDir(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// SyncFile makes durable what is in a file.
func SyncFile(f vfs.FS, path string) error {
	file, err := f.OpenReadWrite(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// copyBytes is how much is copied before the context is looked at again.
const copyBytes = 1 << 20

// CopyFile copies a file durably.
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

// CopyDir copies a directory with all that is in it, durably.
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
