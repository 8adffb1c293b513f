package index

// Errors of reading facts, which may lie in the memory of files.

import (
	"fmt"
	"runtime/debug"
)

// Unreadable is what a View panics with if the facts that it was asked for
// cannot be fetched. CatchUnreadable makes an error of it.
type Unreadable struct{ Err error }

func (u *Unreadable) Error() string { return u.Err.Error() }

// CatchUnreadable turns what reading facts may meet into an error: Unreadable,
// and a fault of mapped memory, which a disk that fails or a file that was cut
// off brings about and which would end the process. To be deferred as
// CatchUnreadable(&err)(), in every goroutine that reads more than sizes.
func CatchUnreadable(err *error) (end func()) {
	before := debug.SetPanicOnFault(true)
	return func() {
		debug.SetPanicOnFault(before)
		if caught := Caught(recover()); caught != nil {
			*err = caught
		}
	}
}

// Caught makes an error of what a goroutine that reads facts has recovered
// from, nil of nil. It panics again with what is neither Unreadable nor a fault.
func Caught(recovered any) error {
	switch r := recovered.(type) {
	case nil:
		return nil
	case *Unreadable:
		return r.Err
	case interface {
		error
		Addr() uintptr
	}:
		return fmt.Errorf("%w: the memory of a file cannot be read: %v", ErrPage, r)
	default:
		panic(r)
	}
}
