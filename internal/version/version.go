// Package version is the only place that defines the version. It imports nothing,
// because every package that writes a store records the version in it.
package version

// Version is the version of this source, and the tag of its release. A test compares
// the changelog with it, and the release recipe compares the tag.
const Version = "v0.1.0"
