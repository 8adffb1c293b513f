// Package maintain implements the commands that operate on a database as a whole: check, repair,
// copy, restore, measure, compact and deduplicate it, and report its changes.
//
// Commands that only read take no lock. Begin reading at Commands; each command is a file.
package maintain

import "github.com/spf13/cobra"

// Commands returns the commands of this package.
func Commands() []*cobra.Command {
	return []*cobra.Command{
		newCheck(), newCompact(), newStats(), newDedupe(), newMark(), newExport(), newLedger(),
		newBackup(), newDump(), newRestore(), newSalvage(), newKeepLog(), newTail(),
	}
}
