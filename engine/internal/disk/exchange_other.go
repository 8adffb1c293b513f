//go:build !(darwin || linux)

package disk

import "errors"

// exchange always fails: the system cannot swap two names, and Replace takes two steps.
func exchange(string, string) error { return errors.ErrUnsupported }
