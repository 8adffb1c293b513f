//go:build !(darwin || linux)

package disk

import "errors"

// Systems that exchange no names: Replace takes two steps there.
func exchange(string, string) error { return errors.ErrUnsupported }
