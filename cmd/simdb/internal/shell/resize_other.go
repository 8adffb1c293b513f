//go:build !unix

package shell

// onResize is a no-op on systems without a resize signal; the next key redraws at the new size.
func onResize(func()) (stop func()) { return func() {} }
