package wal

// This file has the mark: a file beside the segments that says how far the log has
// been synced. The log alone cannot tell that its end was cut off.

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	iofs "io/fs"

	"github.com/cockroachdb/pebble/v2/vfs"
)

const (
	MarkName  = "MARK"
	markMagic = "simdbmrk"
	markSize  = 20
)

func markOf(seq uint64) []byte {
	b := append(make([]byte, 0, markSize), markMagic...)
	b = binary.LittleEndian.AppendUint64(b, seq)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// readMark returns the sequence number in the mark. It is 0, which no record has, if
// there is no mark or a bad one: a crash may spoil what was not synced.
func readMark(fs vfs.FS, dir string) (uint64, error) {
	f, err := fs.Open(fs.PathJoin(dir, MarkName))
	if errors.Is(err, iofs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("wal: %w", err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, markSize))
	if err != nil {
		return 0, fmt.Errorf("wal: %w", err)
	}
	if len(b) < markSize || string(b) != string(markOf(binary.LittleEndian.Uint64(b[8:]))) {
		return 0, nil
	}
	return binary.LittleEndian.Uint64(b[8:]), nil
}

// openMark opens the mark, which it makes, to be written at every sync of the log.
func (l *Log) openMark() error {
	f, err := l.fs.OpenReadWrite(l.fs.PathJoin(l.dir, MarkName), logWrites)
	if err != nil {
		return fmt.Errorf("wal: %w", err)
	}
	l.mark = f
	return l.setMark(l.last)
}

// setMark says that records up to seq are synced. It syncs nothing itself: the mark
// is behind after a power failure, but it is never ahead.
func (l *Log) setMark(seq uint64) error {
	if _, err := l.mark.WriteAt(markOf(seq), 0); err != nil {
		return fmt.Errorf("wal: %w", err)
	}
	return nil
}

// checkMark tells a log that ends too early, when it has been replayed.
func (p *replayer) checkMark(fs vfs.FS, dir string) error {
	mark, err := readMark(fs, dir)
	if err != nil || mark <= max(p.Last, p.after) {
		return err
	}
	path := fs.PathJoin(dir, MarkName)
	return fmt.Errorf("%w: it ends with record %d, but %s says that record %d had been synced; without that file it opens as it is",
		ErrCorrupt, max(p.Last, p.after), path, mark)
}

func (l *Log) closeMark() error {
	if l.mark == nil {
		return nil
	}
	err := l.mark.Close()
	l.mark = nil
	if err != nil {
		return fmt.Errorf("wal: %w", err)
	}
	return nil
}
