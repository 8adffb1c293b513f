//go:build unix

package shell

// The signal of a terminal that has another size.

import (
	"os"
	"os/signal"
	"syscall"
)

// onResize calls a function whenever the size changes, until stop.
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
