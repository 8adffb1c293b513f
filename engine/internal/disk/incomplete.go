package disk

// Files that a copy or a sync tool left out, told from damage.

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
)

// missingTable matches the message of Pebble about a table that its manifest names.
var missingTable = regexp.MustCompile(`file ([0-9]{6,}) \(type sstable\) unknown`)

// incomplete adds to an ErrCorrupt of Open the files of the store in dir that are missing or empty.
// It returns other errors, and errors of a complete store, unchanged.
func incomplete(f vfs.FS, dir string, err error) error {
	if names, listErr := f.List(dir); !errors.Is(err, api.ErrCorrupt) || listErr != nil || len(names) == 0 || strings.HasSuffix(dir, partialSuffix) {
		return err
	}
	var lost []string
	// look adds the empty files of a directory, and the path if the directory has no file of this
	// kind. Markers are empty; their names matter.
	look := func(sub, begin, end string, marker bool) {
		found := false
		names, _ := list(f, f.PathJoin(dir, sub), end)
		for _, n := range names {
			path := f.PathJoin(dir, sub, n)
			if info, err := f.Stat(path); err != nil || !strings.HasPrefix(n, begin) {
				continue
			} else if found = true; info.Size() == 0 && !marker {
				lost = append(lost, path)
			}
		}
		if !found {
			lost = append(lost, f.PathJoin(dir, sub, begin+"*"+end))
		}
	}
	look("", stateName, "", false)
	look(logName, "", ".log", false)
	look(pebbleName, "MANIFEST-", "", false)
	look(pebbleName, "marker.manifest.", "", true)
	look(pebbleName, "marker.format-version.", "", true)
	tables, _ := list(f, f.PathJoin(dir, pebbleName), ".sst")
	if len(tables) > 0 {
		look(pebbleName, "", ".sst", false)
	}
	for _, m := range missingTable.FindAllStringSubmatch(err.Error(), -1) {
		lost = append(lost, f.PathJoin(dir, pebbleName, m[1]+".sst"))
	}
	if len(lost) == 0 {
		return err
	}
	return fmt.Errorf("%w; these files are missing or empty: %s; if another tool copies or synchronises the directory, let it finish, or copy the directory again", err, strings.Join(lost, ", "))
}
