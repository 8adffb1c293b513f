package wal

// The mark, a file that records the highest synced sequence number. Without it a log that
// lost its end would look complete.

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

// markOf encodes a mark.
func markOf(seq uint64) []byte {
	b := append(make([]byte, 0, markSize), markMagic...)
	b = binary.LittleEndian.AppendUint64(b, seq)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// readMark returns the sequence number in the mark, or 0, which no record has, if the
// mark is missing or bad: a crash can spoil an unsynced mark.
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

// openMark opens or creates the mark, which every sync of the log then updates.
func (l *Log) openMark() error {
	f, err := l.fs.OpenReadWrite(l.fs.PathJoin(l.dir, MarkName), logWrites)
	if err != nil {
		return fmt.Errorf("wal: %w", err)
	}
	l.mark = f
	return l.setMark(l.last)
}

// setMark records that records up to seq are synced. It does not sync the mark, which
// may therefore lag after a power failure but never leads.
func (l *Log) setMark(seq uint64) error {
	if _, err := l.mark.WriteAt(markOf(seq), 0); err != nil {
		return fmt.Errorf("wal: %w", err)
	}
	return nil
}

// checkMark returns ErrCorrupt if the replayed log ends before its mark.
func (p *replayer) checkMark(fs vfs.FS, dir string) error {
	mark, err := readMark(fs, dir)
	if err != nil || mark <= max(p.Last, p.after) {
		return err
	}
	path := fs.PathJoin(dir, MarkName)
	return fmt.Errorf("%w: it ends with record %d, but %s records that record %d was synced; delete that file to open the log as it is",
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
