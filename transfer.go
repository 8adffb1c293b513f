package simdb

// Documents on their way in and out: imports, syncs and dumps.

import (
	"context"
	"io"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/transfer"
)

// Import reads texts from files, directories, globs, archives or Stdin ("-") and stores them. A path that is not there, or may not be read, is an
// error before anything is stored; other trouble is a reject, and the import
// goes on behind it.
//
// A record has its own id. The id of a file is its path below the base of the import:
// the directory or archive that is the only path, the fixed part of the glob that is,
// the directory of the file that is, or what several paths have in common. Of several
// files with one id the first is stored and the others are rejects, unless LastWins, or
// unless the id is the sha256: then they have one text.
// Of several records the last wins.
//
// With a Renderer, documents that are no texts become texts, and keep what they say of
// themselves as metadata: path, media_type, charset, bytes, sha256, created, modified,
// title and author, as far as they say it.
//
// How far it has come is stored together with the documents, so an import that
// ended early (killed, cancelled, disk full) can be called again with Resume
// and ends as if nothing had happened, with one exception: Skip and Fail then
// count what the first part stored as stored before. Where what that has read
// is not there any more as it was, Resume is ErrChanged and nothing is stored.
// What has come behind it is imported, even if the import had finished.
func (db *DB) Import(ctx context.Context, paths []string, o api.ImportOptions) (api.ImportStats, error) {
	return transfer.Import(ctx, db.store(), paths, o)
}

// ImportReader is Import of what a reader gives. The name stands for that of a file: its
// ending says what it holds, as .jsonl, .csv and .tar do, and it becomes the id if the
// reader gives one text. The reader is not closed.
func (db *DB) ImportReader(ctx context.Context, name string, r io.Reader, o api.ImportOptions) (api.ImportStats, error) {
	return transfer.ImportReader(ctx, db.store(), name, r, o)
}

// Sync makes the documents that came from a folder what its files are now: a new file is
// added, a changed one replaces its document, and the document of one that is gone is
// deleted. A file is looked at again if its size or time differs from what they were, and
// counts as changed if its text differs. Each file is one text, also a compressed one;
// archives and files of records are rejected. The id is the path in the folder.
//
// Sync deletes nothing because of an error: not the document of a file or below a
// directory that cannot be read, or of a file that is rejected, and nothing if the folder is missing. If
// the folder has no file at all, as one that is not mounted, Sync returns ErrInvalid
// unless DeleteAll. Documents that did not come from the folder by Sync are never
// touched: a file with the id of one is rejected, unless the text is the same. So is a
// file that unique_sim of the collection keeps out; all files are read there.
//
// A sync that ended early is continued by the next one. Two syncs of one folder must not
// run at the same time.
func (db *DB) Sync(ctx context.Context, folder string, o api.SyncOptions) (api.SyncStats, error) {
	return transfer.Sync(ctx, db.store(), folder, o)
}

// Dump writes all collections with their settings, and all documents, as lines of
// JSON that Restore reads. Nothing is lost: texts and ids need not be UTF-8, and a
// database restored from a dump has the same dump, byte for byte. Dump writes the
// database as it is when Dump is called, in bounded memory.
//
// Notes are not in it, so an import that was interrupted cannot be resumed in the
// restored database. Nor is the order in which documents were written: in the restored
// database KeepFirst and KeepNewest go by the order of the ids. Of groups it has how they
// are kept: Restore makes them anew, with new numbers. The ledger is not in it.
//
// If documents cannot be read, Dump writes all others and returns an *DumpError.
// After any other error the dump is not complete, and Restore refuses it.
func (db *DB) Dump(ctx context.Context, w io.Writer) error { return transfer.Dump(ctx, db.store(), w) }

// Restore reads a dump, compressed by gzip or zstd or not, into a database that holds
// no documents; ErrExists if it holds some. Afterwards the database has the
// collections of the dump and no others. Nobody else may write meanwhile.
//
// A dump that is damaged, cut off, or has lines twice is ErrCorrupt, with the line.
// After any error the database is empty. There are two exceptions: a process that is
// killed leaves a part of the dump, and so does a write that fails (ErrPoisoned), on a
// full disk say. Restoring reports it, and Restore begins anew there.
func (db *DB) Restore(ctx context.Context, r io.Reader) error {
	return transfer.Restore(ctx, db.store(), r)
}

// Restoring reports whether a Restore into the database began and did not end, because
// its process was killed or a write failed. Then the database holds a part of the dump. Restore begins
// anew there.
func (db *DB) Restoring() (bool, error) { return transfer.Restoring(db.store()) }
