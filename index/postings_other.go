//go:build !amd64

package index

// Packing of posting pages where there is no assembly: plain Go does it.

func packGroup(dst []byte, group []uint64, f fields) { packPlain(dst, group, f) }

func unpackGroup(dst []uint64, g *group, shift uint32) (largest uint64, ok bool) {
	return unpackPlain(dst, g, shift)
}
