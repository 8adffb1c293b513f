package disk

// Sealed values: a checksum of key and value, stored with the value. Pebble's checksums cover
// only the bytes it received to write. They do not detect a value that changed before, or one
// stored under another key (docs/decisions/0044).

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/cockroachdb/pebble/v2"

	"github.com/simdb/simdb/engine/internal/durable"
	"github.com/simdb/simdb/engine/internal/fault"
)

const sealBytes = 4

// SetSealed stores a value followed by its seal, the CRC-32C of key and value.
func SetSealed(b *pebble.Batch, key, value []byte) error {
	op := b.SetDeferred(len(key), len(value)+sealBytes)
	copy(op.Key, key)
	n := copy(op.Value, value)
	binary.LittleEndian.PutUint32(op.Value[n:], sealOf(key, value))
	return op.Finish()
}

// Seal returns a copy of value with its seal.
func Seal(key, value []byte) []byte {
	sealed := append(make([]byte, 0, len(value)+sealBytes), value...)
	return binary.LittleEndian.AppendUint32(sealed, sealOf(key, value))
}

// Unseal returns the value without its seal, aliasing sealed. It returns ErrCorrupt if key and
// value were not stored together.
func Unseal(key, sealed []byte) ([]byte, error) {
	n := len(sealed) - sealBytes
	if n < 0 || binary.LittleEndian.Uint32(sealed[n:]) != sealOf(key, sealed[:n]) {
		return nil, fault.Corrupt("the value of key %.80q has changed since it was stored", key)
	}
	return sealed[:n:n], nil
}

// sealOf returns the CRC-32C of key and value.
func sealOf(key, value []byte) uint32 {
	return crc32.Update(crc32.Checksum(key, durable.Castagnoli), durable.Castagnoli, value)
}

// GetSealed is Get for a sealed value; nil, nil if the key is absent.
func GetSealed(r pebble.Reader, key []byte) ([]byte, error) {
	v, err := Get(r, key)
	if v == nil || err != nil {
		return nil, err
	}
	return Unseal(key, v)
}

// ScanSealed is Scan for sealed values. It stops with ErrCorrupt at the first bad seal.
func ScanSealed(r pebble.Reader, prefix []byte, yield func(key, value []byte) error) error {
	return Scan(r, prefix, func(key, sealed []byte) error {
		value, err := Unseal(key, sealed)
		if err != nil {
			return err
		}
		return yield(key, value)
	})
}
