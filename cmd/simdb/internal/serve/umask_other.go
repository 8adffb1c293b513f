//go:build !unix

package serve

// forUserOnly lets do make files. Where there is no umask, the folder says who may open them.
func forUserOnly(do func()) { do() }
