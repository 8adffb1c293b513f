package simdb

// The version is stated here and nowhere else in the code. A test holds the
// changelog to it, and the release recipe the tag.

// Version is the version of this source, as its release is tagged.
const Version = "v0.1.0"
