package disk

// Sealed values: the checksum of key and value goes along with the value. Pebble's own
// checksums are of what it was given to write. They do not tell that a value was changed
// before that, or lies under a key that it was not stored under (docs/decisions/0044).

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/cockroachdb/pebble/v2"

	"github.com/simdb/simdb/engine/internal/durable"
	"github.com/simdb/simdb/engine/internal/fault"
)

const sealBytes = 4

// SetSealed stores a value and its seal: the CRC-32C of the key and the value, behind it.
func SetSealed(b *pebble.Batch, key, value []byte) error {
	op := b.SetDeferred(len(key), len(value)+sealBytes)
	copy(op.Key, key)
	n := copy(op.Value, value)
	binary.LittleEndian.PutUint32(op.Value[n:], sealOf(key, value))
	return op.Finish()
}

// Seal returns a value with its seal.
func Seal(key, value []byte) []byte {
	sealed := append(make([]byte, 0, len(value)+sealBytes), value...)
	return binary.LittleEndian.AppendUint32(sealed, sealOf(key, value))
}

// Unseal returns a value without its seal, which it aliases. ErrCorrupt if key and value
// are not those that were stored together.
func Unseal(key, sealed []byte) ([]byte, error) {
	n := len(sealed) - sealBytes
	if n < 0 || binary.LittleEndian.Uint32(sealed[n:]) != sealOf(key, sealed[:n]) {
		return nil, fault.Corrupt("the value of key %.80q has changed since it was stored", key)
	}
	return sealed[:n:n], nil
}

func sealOf(key, value []byte) uint32 {
	return crc32.Update(crc32.Checksum(key, durable.Castagnoli), durable.Castagnoli, value)
}

// GetSealed is Get for a sealed value.
func GetSealed(r pebble.Reader, key []byte) ([]byte, error) {
	v, err := Get(r, key)
	if v == nil || err != nil {
		return nil, err
	}
	return Unseal(key, v)
}

// ScanSealed is Scan for sealed values.
func ScanSealed(r pebble.Reader, prefix []byte, yield func(key, value []byte) error) error {
	return Scan(r, prefix, func(key, sealed []byte) error {
		value, err := Unseal(key, sealed)
		if err != nil {
			return err
		}
		return yield(key, value)
	})
}
