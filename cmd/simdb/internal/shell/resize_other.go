//go:build !unix

package shell

// onResize does nothing where there is no such signal: the next key finds the size.
func onResize(func()) (stop func()) { return func() {} }
