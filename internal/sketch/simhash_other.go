//go:build !amd64

package sketch

// The majority of bits where there is no assembly: plain Go counts them.

var majority = majorityPortable

type counter struct {
	name string
	of   func(hashes []uint64) uint64
}

func majorities() []counter { return []counter{{"portable", majorityPortable}} }
