//go:build !amd64

package shingle

var fastestRoller = portableRoller

func rollers() []roller { return []roller{portableRoller} }
