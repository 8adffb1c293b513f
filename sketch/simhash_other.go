//go:build !amd64

package sketch

var majority = majorityPortable

type counter struct {
	name string
	of   func(hashes []uint64) uint64
}

func majorities() []counter { return []counter{{"portable", majorityPortable}} }
