//go:build !amd64

package shingle

// This file has the only way to hash shingles where there is no kernel.

var fastestRoller = portableRoller

func rollers() []roller { return []roller{portableRoller} }
