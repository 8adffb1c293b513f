package index

// Errors of reading facts, which may lie in mapped files.

import (
	"fmt"
	"runtime/debug"
)

// Unreadable is the panic value of a View that cannot fetch facts. CatchUnreadable turns it into
// an error.
type Unreadable struct{ Err error }

func (u *Unreadable) Error() string { return u.Err.Error() }

// CatchUnreadable turns failures of reading facts into *err: Unreadable, and a fault of mapped
// memory, which a failing disk or a truncated file causes and which would end the process. Use
// it as defer CatchUnreadable(&err)() in every goroutine that reads more than sizes.
func CatchUnreadable(err *error) (end func()) {
	before := debug.SetPanicOnFault(true)
	return func() {
		debug.SetPanicOnFault(before)
		if caught := Caught(recover()); caught != nil {
			*err = caught
		}
	}
}

// Caught turns a recovered value into an error, nil into nil. It panics again with values that
// are neither Unreadable nor a fault.
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
