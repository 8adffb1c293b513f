package main

// Shell completion of arguments: databases, ids and collections. Each lookup is bounded in
// time and count and returns nothing on errors, because a person waits for it.

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
)

const (
	offeredIDs = 200                    // ids per completion
	offerTime  = 500 * time.Millisecond // limit of a lookup; a slower one offers nothing
)

// offers adds completion of arguments to a command and its subcommands.
func offers(cmd *cobra.Command) {
	for _, below := range cmd.Commands() {
		offers(below)
	}
	words := strings.Fields(strings.TrimPrefix(cmd.Use, cmd.Name()))
	if len(words) > 0 && words[0] == "[flags]" {
		words = words[1:]
	}
	if len(words) == 0 || !strings.Contains(words[0], "DB") {
		return
	}
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
		last := len(words) - 1
		if len(args) > last && !strings.Contains(words[last], "…") {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		switch words[min(len(args), last)] {
		case "DB", "[DB]", "DB…", "NEWDB", "DIR":
			return nil, cobra.ShellCompDirectiveFilterDirs
		case "ID":
			return stored(args[0], ids(cmd, prefix)), cobra.ShellCompDirectiveNoFileComp
		case "STATEMENT":
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveDefault
	}
	for name, ask := range map[string]func(*cobra.Command, string) question{"in": collections, "against": collections, "of": ids} {
		if cmd.Flags().Lookup(name) == nil {
			continue
		}
		err := cmd.RegisterFlagCompletionFunc(name, func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 0 { // the database follows the flag
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return stored(args[0], ask(cmd, prefix)), cobra.ShellCompDirectiveNoFileComp
		})
		if err != nil {
			panic(err) // cannot happen: the flag exists
		}
	}
}

// A question returns names from a snapshot, for completion.
type question func(context.Context, *simdb.Snapshot) []string

// stored runs a question on the database at path for at most offerTime. A missing database
// yields nothing. It opens the database read-only, because another process may be writing.
func stored(path string, ask question) []string {
	ctx, stop := context.WithTimeout(context.Background(), offerTime)
	defer stop()
	answer := make(chan []string, 1)
	go func() {
		defer close(answer)
		db, err := simdb.OpenContext(ctx, path, &simdb.Options{ReadOnly: true})
		if err != nil {
			return
		}
		defer db.Close()
		snapshot, err := db.Snapshot()
		if err != nil {
			return
		}
		defer snapshot.Close()
		answer <- ask(ctx, snapshot)
	}()
	select {
	case names := <-answer:
		return names
	case <-ctx.Done():
		return nil
	}
}

// collections returns a question for the collections whose names begin with a prefix.
func collections(_ *cobra.Command, prefix string) question {
	return func(ctx context.Context, s *simdb.Snapshot) (names []string) {
		all, err := s.Collections(ctx)
		for _, c := range all {
			if err == nil && strings.HasPrefix(c.Name, prefix) {
				names = append(names, c.Name)
			}
		}
		return names
	}
}

// ids returns a question for the ids that begin with a prefix, in the collections of --in. It
// omits ids with control characters, which could control the terminal.
func ids(cmd *cobra.Command, prefix string) question {
	in := []string{api.DefaultCollection}
	if f := cmd.Flags().Lookup("in"); f != nil && f.Changed {
		in = strings.Split(strings.Trim(f.Value.String(), "[]"), ",")
	}
	return func(ctx context.Context, s *simdb.Snapshot) (found []string) {
		for _, name := range in {
			for id, err := range s.IDs(ctx, name, prefix) {
				if err != nil || len(found) == offeredIDs {
					break
				}
				if id == output.EscapeControls(id) {
					found = append(found, id)
				}
			}
		}
		return found
	}
}
