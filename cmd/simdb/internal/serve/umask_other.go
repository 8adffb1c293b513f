//go:build !unix

package serve

// forUserOnly calls do. Without a umask, the permissions of the folder decide on access.
func forUserOnly(do func()) { do() }
