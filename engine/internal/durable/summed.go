package durable

// Small checksummed files that are replaced atomically.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/engine/internal/fault"
)

// ReadSummed returns the JSON in a file that WriteSummed wrote. most limits the bytes that it
// reads. ErrCorrupt if the checksum does not match.
func ReadSummed(fs vfs.FS, path string, most int64) ([]byte, error) {
	f, err := fs.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return nil, err
	}
	head, body, _ := bytes.Cut(b, []byte("\n"))
	var sum uint32
	if _, err := fmt.Sscanf(string(head), "simdb %08x", &sum); err != nil || sum != crc32.Checksum(body, Castagnoli) {
		return nil, fault.Corrupt("%s: checksum does not match", path)
	}
	return body, nil
}

// WriteSummed replaces a file in dir atomically and durably. The file has two lines: first
// "simdb" and the CRC-32C of the second line in hexadecimal, then the content as JSON.
func WriteSummed(fs vfs.FS, dir, path string, content any) (err error) {
	body, err := json.Marshal(content)
	if err != nil {
		return err
	}
	body = append(body, '\n')
	tmp := path + ".new"
	f, err := fs.Create(tmp, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "simdb %08x\n%s", crc32.Checksum(body, Castagnoli), body)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := fs.Rename(tmp, path); err != nil {
		return err
	}
	return SyncDir(fs, dir)
}
