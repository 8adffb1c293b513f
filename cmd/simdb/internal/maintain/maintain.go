// Package maintain has the commands that look after a database: they check, mend, copy, save,
// restore, measure and clear it, and tell what was changed in it.
package maintain

import "github.com/spf13/cobra"

// Commands returns them all.
func Commands() []*cobra.Command {
	return []*cobra.Command{
		newCheck(), newCompact(), newStats(), newDedupe(), newMark(), newExport(), newLedger(),
		newBackup(), newDump(), newRestore(), newSalvage(), newKeepLog(), newTail(),
	}
}
