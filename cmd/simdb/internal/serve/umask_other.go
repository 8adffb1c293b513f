//go:build !unix

package serve

func forUserOnly(do func()) { do() }
