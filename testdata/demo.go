// Package testdata has the texts of the demonstration: README.md imports them, the tests
// ask them, and the command simdb demo carries them with it.
package testdata

import "embed"

// Demo has the folder demo.
//
//go:embed demo
var Demo embed.FS
