//go:build unix

package shell

// The resize signal of a terminal.

import (
	"os"
	"os/signal"
	"syscall"
)

// onResize calls a function on every resize until stop. The calls come from another goroutine.
func onResize(call func()) (stop func()) {
	c, over, ended := make(chan os.Signal, 1), make(chan struct{}), make(chan struct{})
	signal.Notify(c, syscall.SIGWINCH)
	go func() {
		defer close(ended)
		for {
			select {
			case <-c:
				call()
			case <-over:
				return
			}
		}
	}()
	return func() {
		signal.Stop(c)
		close(over)
		<-ended
	}
}
