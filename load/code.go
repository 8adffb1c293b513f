package load

// Texts of code: a lexer reads them before their batch is stored, because it may refuse one, and
// then the others come in all the same.

import (
	"context"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/internal/ingest"
)

// lexed is what a lexer has found in a text, or why it refuses it.
type lexed struct {
	found []byte
	err   error
}

// lexAll reads documents side by side. settings are those of a document's collection, nil if it is
// not read. Without a lexer nothing is: then the store says so.
func lexAll(docs []ingest.Doc, settings func(ingest.Doc) (*api.Settings, error)) ([]lexed, error) {
	out := make([]lexed, len(docs))
	var g errgroup.Group
	defer g.Wait()
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, d := range docs {
		s, err := settings(d)
		if err != nil {
			return nil, err
		}
		if s != nil && s.Unit == "code" && api.RegisteredLexer() != nil {
			g.Go(func() error {
				out[i].found, out[i].err = engine.Lex(*s, d.ID, d.Text)
				return nil
			})
		}
	}
	return out, g.Wait()
}

// settingsOf are those of the collection that a document goes to, unless it is left out.
func (r *importRun) settingsOf(ctx context.Context, d ingest.Doc) (*api.Settings, error) {
	name := r.collectionOf(d)
	if engine.CheckCollectionName(name) != nil {
		return nil, nil
	}
	if r.o.IfExists == api.Skip {
		if there, err := exists(ctx, r.before, name, d.ID); there || err != nil {
			return nil, err
		}
	}
	into, err := r.destination(name)
	if err != nil {
		return nil, err
	}
	return &into.settings, nil
}
