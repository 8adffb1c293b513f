package load

// Lexing of code. The lexer runs before the batch is stored, because it may refuse a text, and a
// refused text must not keep the rest of its batch out.

import (
	"context"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/internal/ingest"
)

// lexed is the result of a lexer for one text: its tokens, or the reason for its refusal.
type lexed struct {
	found []byte
	err   error
}

// lexAll lexes the documents of code in parallel. settings returns the settings of a document's
// collection, or nil for a document that is left out. Without a registered lexer lexAll does
// nothing: the store then returns the error.
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

// settingsOf returns the settings of the destination of a document, or nil if the import leaves the
// document out.
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
