package load

// Files in place of a database: a command that reads imports them into a temporary one.

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
	"github.com/simdb/simdb/internal/ingest"
)

// Source holds the flags of a command that reads databases or files.
type Source struct {
	IDField, TextField, With string

	Temporary bool // set by Stores: the database is a temporary one of files
	dir       string
}

// Flags adds the flags that apply to files.
func (s *Source) Flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&s.IDField, "id-field", "", "`FIELD` that contains the id of a record, of files")
	f.StringVar(&s.TextField, "text-field", "", "`FIELDS` that contain the text of a record, of files")
	f.StringVar(&s.With, "with", "", "`SETTINGS` of the collection of files, as in CREATE COLLECTION")
}

// Stores returns the databases of the arguments of a command. Of files it makes one temporary
// database, which remove deletes. remove also reports rejected input in *err, unless it has an error.
func (s *Source) Stores(cmd *cobra.Command, paths []string) (stores []string, remove func(err *error), err error) {
	if s.Temporary, err = s.AreFiles(cmd, paths); err != nil {
		return nil, nil, err
	}
	if !s.Temporary {
		return paths, func(*error) {}, nil
	}
	dir, err := command.TempDir()
	if err != nil {
		return nil, nil, err
	}
	s.dir = dir
	store := filepath.Join(dir, "files.simdb")
	rejected, err := s.into(cmd, store, api.DefaultCollection, paths)
	remove = func(err *error) {
		if errors.Is(*err, api.ErrReadOnly) {
			*err = exit.Failf(exit.Rejected, "files are read into a temporary database, which no statement changes; simdb import my.simdb %s makes one that stays", strings.Join(paths, " "))
		}
		removed := os.RemoveAll(dir)
		*err = cmp.Or(*err, rejected, removed)
	}
	if err != nil {
		remove(&err)
		return nil, nil, err
	}
	return []string{store}, remove, nil
}

// RemoveOnSignal removes the temporary database when a signal ends the process while it waits for
// input, where a context does not reach.
func (s *Source) RemoveOnSignal() (stop func()) {
	if !s.Temporary {
		return func() {}
	}
	ends := make(chan os.Signal, 1)
	signal.Notify(ends, command.Ends()...)
	go func() {
		if by, ok := (<-ends).(syscall.Signal); ok {
			os.RemoveAll(s.dir)
			os.Exit(128 + int(by))
		}
	}()
	return func() { signal.Stop(ends); close(ends) }
}

// Beside imports a file or folder into a collection of its own in the temporary database of Stores, and
// returns its name.
func (s *Source) Beside(cmd *cobra.Command, store, path string) (collection string, err error) {
	if collection = filepath.Base(path); collection == api.DefaultCollection {
		collection += "/"
	}
	rejected, err := s.into(cmd, store, collection, []string{path})
	return collection, cmp.Or(err, rejected)
}

// into imports files into a collection. rejected reports input that is not in it.
func (s *Source) into(cmd *cobra.Command, store, collection string, paths []string) (rejected, err error) {
	ctx, stop := command.Interruptible(cmd.Context())
	defer stop()
	im := importer{stderr: cmd.ErrOrStderr(), temporary: true}
	im.flags(&cobra.Command{}) // the defaults
	im.options.IDField, im.options.TextField, im.with = s.IDField, s.TextField, s.With
	im.options.Into = collection
	im.brief = !output.IsTerminal(im.stderr)
	err = im.run(ctx, cmd, store, paths)
	none := "there are no texts in " + output.EscapeControls(strings.Join(paths, ", "))
	switch {
	case errors.Is(err, context.Canceled):
		return nil, exit.Interrupted(context.Canceled, "nothing is kept of the files")
	case exit.CodeOf(err) == exit.Incomplete && len(im.stored) == 0:
		return nil, exit.Failf(exit.Incomplete, "%s: %v", none, err)
	case exit.CodeOf(err) == exit.Incomplete:
		return err, nil
	case err == nil && len(im.stored) == 0:
		return nil, exit.Failf(exit.Unavailable, "%s", none)
	}
	return nil, command.InTempDir(err)
}

// AreFiles reports whether paths name files and folders of texts, not databases. A missing path
// counts as a database, so that the command reports it. Mixed paths are an error, and so are flags for
// files with databases.
func (s *Source) AreFiles(cmd *cobra.Command, paths []string) (bool, error) {
	var store, file string
	for _, path := range paths {
		if isFile(path) {
			file = path
		} else {
			store = path
		}
	}
	if _, err := os.Stat(store); file != "" && store != "" && err != nil {
		return false, exit.Failf(exit.Unavailable, "there is no file or folder %s", output.EscapeControls(store))
	}
	if file != "" && store != "" {
		return false, exit.Usagef("%s is a file and %s is none; name databases or files, not both: simdb import makes a database of files", output.EscapeControls(file), output.EscapeControls(store))
	}
	for _, name := range []string{"id-field", "text-field", "with"} {
		if file == "" && cmd.Flags().Changed(name) {
			return false, exit.Usagef("--%s is for files, and %s is none", name, output.EscapeControls(store))
		}
	}
	return file != "", nil
}

// isFile reports whether a path is a file, or a folder that is no database, not even a damaged one.
func isFile(path string) bool {
	info, err := os.Stat(path)
	if path == "-" || err != nil || !info.IsDir() {
		return path == "-" || err == nil
	}
	if ingest.IsStore(path) || strings.EqualFold(filepath.Ext(filepath.Clean(path)), ".simdb") {
		return false
	}
	_, err = os.Lstat(filepath.Join(path, "LOCK")) // a database that has lost its STATE
	return err != nil
}
