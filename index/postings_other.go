//go:build !amd64

package index

func packGroup(dst []byte, group []uint64, f fields) { packPlain(dst, group, f) }

func unpackGroup(dst []uint64, g *group, shift uint32) (largest uint64, ok bool) {
	return unpackPlain(dst, g, shift)
}
