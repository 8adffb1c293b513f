package agent

// Execution of a tool call: decoding, limits, access to the database, and the answer.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/internal/params"
)

// maxConcurrent limits the concurrent calls. Others wait, up to --max-time.
const maxConcurrent = 8

// server executes calls. It is safe for concurrent use.
type server struct {
	*serving
	mcp   *mcp.Server
	slots chan struct{}
	puts  sync.Mutex // makes the lookup of an id and the put atomic
}

// server returns a protocol server with the tools and resources that the flags allow.
func (s *serving) server() *mcp.Server {
	a := &server{serving: s, slots: make(chan struct{}, maxConcurrent)}
	a.mcp = mcp.NewServer(&mcp.Implementation{Name: "simdb", Title: "simdb: near-duplicate texts", Version: simdb.Version},
		&mcp.ServerOptions{Instructions: s.instructions(), Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}, Resources: &mcp.ResourceCapabilities{}}})
	reads := &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: new(bool)}
	add(a, &mcp.Tool{Name: "similar", Title: "Find similar texts", Description: aboutSimilar, Annotations: reads}, a.similar)
	add(a, &mcp.Tool{Name: "nearest", Title: "Find the nearest texts", Description: aboutNearest, Annotations: reads}, a.nearest)
	add(a, &mcp.Tool{Name: "compare", Title: "Compare two texts", Description: aboutCompare, Annotations: reads}, a.compare)
	add(a, &mcp.Tool{Name: "sources", Title: "Find the sources of a text", Description: aboutSources, Annotations: reads}, a.sources)
	query := &mcp.Tool{Name: "query", Title: "Run a statement", Description: aboutQuery + " Read-only.", Annotations: reads}
	if s.statements {
		destroys := true
		query.Description = aboutQuery + " It may also INSERT, UPDATE, DELETE, CREATE and DROP."
		query.Annotations = &mcp.ToolAnnotations{DestructiveHint: &destroys, OpenWorldHint: new(bool)}
	}
	add(a, query, a.query)
	if s.Web.Writable {
		add(a, &mcp.Tool{Name: "remember", Title: "Store a text unless it is known", Description: aboutRemember,
			Annotations: &mcp.ToolAnnotations{DestructiveHint: new(bool), IdempotentHint: true, OpenWorldHint: new(bool)}}, a.remember)
	}
	a.resources()
	return a.mcp
}

// add registers a tool. It converts arguments and answers with encoding/json itself, because the
// library decodes numbers as float64, which changes large integers.
func add[In, Out any](s *server, t *mcp.Tool, answer func(context.Context, *simdb.DB, In) (Out, error)) {
	t.InputSchema, t.OutputSchema = schemaOf[In](), schemaOf[Out]()
	s.mcp.AddTool(t, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var out Out
		var in In
		err := decode(r.Params.Arguments, &in)
		if err == nil {
			err = s.work(ctx, func(ctx context.Context, db *simdb.DB) (err error) {
				out, err = answer(ctx, db, in)
				return err
			})
		}
		var b []byte
		if err == nil {
			b, err = json.Marshal(out)
		}
		if err != nil {
			return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: err.Error()}}}, nil
		}
		return &mcp.CallToolResult{StructuredContent: json.RawMessage(b), Content: []mcp.Content{&mcp.TextContent{Text: string(b)}}}, nil
	})
}

// schemaOf returns the JSON schema of T, a type of this package.
func schemaOf[T any]() *jsonschema.Schema {
	s, err := jsonschema.For[T](nil)
	if err != nil {
		panic(err) // the types are in this package
	}
	for _, p := range s.Properties {
		if len(p.Types) == 2 { // null or a type: some clients support only a single type
			p.Type, p.Types = p.Types[1], nil
		}
	}
	return s
}

// decode decodes arguments. It rejects unknown names, which would be misspelt options silently
// ignored, and more values than a statement may have.
func decode(raw json.RawMessage, into any) error {
	if !utf8.Valid(raw) {
		return errors.New("the arguments are not UTF-8; send them as UTF-8")
	}
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	if params.Count(raw) > params.Max {
		return fmt.Errorf("the arguments have more than %d values; split the call", params.Max)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("the arguments do not match this tool: %s; see its inputSchema", strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("the arguments continue after their object; send one object")
	}
	return nil
}

// work runs a call on the database, for at most --max-time. It ends when the caller disconnects. A
// panic ends this call only.
func (s *server) work(ctx context.Context, call func(context.Context, *simdb.DB) error) (err error) {
	ctx, cancel := context.WithTimeout(ctx, s.Web.MaxTime)
	defer cancel()
	if caller, ok := ctx.Value(callerKey{}).(context.Context); ok {
		defer context.AfterFunc(caller, cancel)()
	}
	select {
	case s.slots <- struct{}{}:
	case <-ctx.Done():
		return s.reword(ctx.Err())
	}
	defer func() { <-s.slots }()
	db, done := s.Web.Lend()
	defer done()
	defer func() {
		if bug := recover(); bug != nil {
			err = fmt.Errorf("this is a bug of simdb, please report it: %v", bug)
		}
	}()
	return s.reword(call(ctx, db))
}

// reword rewrites an error so that an agent can act on it.
func (s *server) reword(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("this took longer than %v; request less, or start simdb mcp with a greater --max-time", s.Web.MaxTime)
	case errors.Is(err, api.ErrReadOnly):
		return errors.New("this server is read-only; simdb mcp --allow-writes allows statements that write")
	case errors.Is(err, api.ErrNoCollection):
		return fmt.Errorf("%s; the resource simdb://collections and SHOW COLLECTIONS in query list the collections", exit.OneLine(err))
	}
	return errors.New(exit.OneLine(err))
}

// cut reports the truncation of an answer.
type cut struct {
	More  bool     `json:"more" jsonschema:"whether a limit truncated the answer"`
	Notes []string `json:"notes,omitempty" jsonschema:"remarks on this answer"`
}

// leave marks the answer as truncated, with a reason.
func (c *cut) leave(format string, args ...any) {
	c.More = true
	c.Notes = append(c.Notes, fmt.Sprintf(format, args...))
}

// room tracks the space left for rows in an answer, in bytes of JSON.
type room struct {
	left int
	*cut
	*server
}

// take reserves space for a row. If there is none, it marks the answer as truncated and returns
// false.
func (r *room) take(row any) bool {
	b, err := json.Marshal(row)
	return err != nil || r.fits(b) // the answer has the error
}

// encode returns the values of a row as json.RawMessage, and reserves space for them. It returns nil
// where the answer is full, and does not encode the values that follow, as many of them may be long.
func (r *room) encode(row simdb.Row) ([]any, error) {
	cells := make([]any, len(row))
	for i, v := range row {
		b, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		if !r.fits(b) {
			return nil, nil
		}
		cells[i] = json.RawMessage(b)
	}
	return cells, nil
}

// fits reserves space for a value and a comma. If there is none, it marks the answer as truncated
// and returns false.
func (r *room) fits(b []byte) bool {
	if r.left -= len(b) + 1; r.left < 0 {
		r.leave("the rest exceeds %d bytes: request less, or start simdb mcp with a greater --max-bytes", r.maxBytes)
	}
	return r.left >= 0
}

func (s *server) room(c *cut) *room { return &room{int(s.maxBytes), c, s} }
