package pairs

import (
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/index/join"
)

// fileScratch is for what has no room in memory: one file, which is removed with the
// others of the moment, or by Close.
func fileScratch(files *disk.Scratch) *join.FileScratch {
	return &join.FileScratch{Create: func() (join.File, error) { return files.Create() }}
}
