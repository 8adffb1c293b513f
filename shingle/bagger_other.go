//go:build !amd64

package shingle

func baggers() []bagger { return []bagger{portable} }

var fastest = portable
