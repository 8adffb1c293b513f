// Package version states the version of this source, and nothing else does. A store says
// which version wrote it, so the package stands below all that write.
package version

// Version is the version of this source, as its release is tagged. A test holds the
// changelog to it, and the release recipe the tag.
const Version = "v0.1.0"
