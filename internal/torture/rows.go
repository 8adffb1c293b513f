package torture

// Rows is the table. docs/reliability.md shows the same.
var Rows = []Row{
	{"D1", "crash images of a store at work, with none to all of what was not synced", "engine", "TestCrashImages", 2000, 100000},
	{"D1-meta", "crash images while metadata changes", "engine", "TestMetaCrashImages", 200, 10000},
	{"D1-unless", "crash images beside 64 writers with conditions", "engine", "TestCrashUnless", 60, 6000},
	{"D2", "writers killed at any moment", "engine", "TestKill", 15, 1000},
	{"D2-unless", "writers with conditions killed at any moment", "engine", "TestKillUnless", 5, 200},
	{"D2-beside", "writers killed beside readers that are killed", "engine", "TestKillBeside", 10, 500},
	{"D3", "killed in opening, compaction, backup and Close, up to three times in a row", "engine", "TestKillInside", 50, 2000},
	{"F1", "write operations that fail once, and from then on", "engine", "TestWriteFaults", 120, All},
	{"F2", "reads that fail once", "engine", "TestReadFaults", 120, All},
	{"F3", "disks that become full", "engine", "TestDiskFull", 50, 200},
	{"F3-import", "disks that become full in an import, which is resumed", "cmd/simdb", "TestImportOnAFullDisk", 10, 200},
	{"C1", "bits flipped in the files of a small store", "engine", "TestFlippedBits", 1000, All},
	{"C1-large", "bits flipped in the files of a store with all kinds of data", "engine", "TestFlippedBytes", 300, 20000},
	{"C2", "files removed, emptied, cut, zeroed, replaced by an older copy and by another store's", "engine", "TestSpoiltFiles", All, All},
	{"C2-log", "the same of the log of a store that was not closed", "engine", "TestNothingLostInTheLogUnseen", All, All},
	{"R1", "seconds of 8 writers, 8 readers, deletes, backups and compactions", "engine", "TestWritersAndReaders", 10, 600},
	{"R2", "Close in the middle of everything", "engine", "TestCloseInTheMiddle", 200, 1000},
	{"R3", "second processes that open a store", "cmd/simdb", "TestSecondOpener", All, All},
	{"Q1", "queries compared with brute force", "engine", "TestAnswersEqualBruteForce", 5000, 100000},
	{"Q2", "stores of other options, order, compactions and openings that must answer alike", "engine", "TestAnswersAlike", 30, 2000},
	{"I4", "archives that mean harm", "internal/ingest", "TestHostileArchives|TestCrowdedArchives|TestCutArchives|TestExpansion|TestSparseTar|TestZipSymlink|TestSymlinks|TestGlobSymlinks|TestFIFO", All, All},
	{"I5", "imports killed and resumed", "cmd/simdb", "TestKilledImport", 20, 1000},
	{"I5-bad", "records, of which one is bad", "cmd/simdb", "TestOneBadRecord", 20000, 1000000},
	{"S1", "files removed, emptied, zeroed, cut and flipped before a salvage", "engine", "TestSalvage", All, All},
}
