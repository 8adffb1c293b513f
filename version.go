package simdb

import "github.com/simdb/simdb/internal/version"

// Version is the version of this source, in the form of the release tag.
const Version = version.Version
