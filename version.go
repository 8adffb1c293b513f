package simdb

import "github.com/simdb/simdb/internal/version"

// Version is the version of this source, as its release is tagged.
const Version = version.Version
