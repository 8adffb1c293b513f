//go:build !amd64

package shingle

// This file has the only way to sort hashes where there is no kernel.

func baggers() []bagger { return []bagger{portable} }

var fastest = portable
