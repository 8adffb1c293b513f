package wal

// Encoding a record as a frame. The checksum of the head covers the offset of the
// frame, so bytes of a payload that look like a frame never pass for one.

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
)

const frameHeadSize = 32

// frameType is the type and version of the only kind of frame.
var frameType = []byte{'R', 'E', 'C', 1}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// frameHead is the head of a frame, without its checksum.
type frameHead struct {
	payloadSum uint32
	length     uint32
	seq        uint64
	synced     uint64
}

// append encodes the head of a frame at the given offset of its segment.
func (h frameHead) append(dst []byte, offset int64) []byte {
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	dst = binary.LittleEndian.AppendUint32(dst, h.payloadSum)
	dst = binary.LittleEndian.AppendUint32(dst, h.length)
	dst = append(dst, frameType...)
	dst = binary.LittleEndian.AppendUint64(dst, h.seq)
	dst = binary.LittleEndian.AppendUint64(dst, h.synced)
	binary.LittleEndian.PutUint32(dst[start:], headSum(dst[start:], offset))
	return dst
}

// parseFrameHead decodes b, frameHeadSize bytes at the given offset of a segment,
// and reports whether they are the head of a frame.
func parseFrameHead(b []byte, offset int64) (frameHead, bool) {
	h := frameHead{
		payloadSum: binary.LittleEndian.Uint32(b[4:]),
		length:     binary.LittleEndian.Uint32(b[8:]),
		seq:        binary.LittleEndian.Uint64(b[16:]),
		synced:     binary.LittleEndian.Uint64(b[24:]),
	}
	ok := bytes.Equal(b[12:16], frameType) &&
		h.synced < h.seq &&
		h.length <= MaxRecordBytes &&
		binary.LittleEndian.Uint32(b) == headSum(b, offset)
	return h, ok
}

// headSum returns the checksum of the head at the start of b, seeded with its offset.
func headSum(b []byte, offset int64) uint32 {
	return crc32.Update(uint32(offset), castagnoli, b[4:frameHeadSize])
}

// payloadSum returns the checksum of a payload.
func payloadSum(payload []byte) uint32 {
	return crc32.Checksum(payload, castagnoli)
}
