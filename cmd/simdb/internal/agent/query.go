package agent

// The tool query, and the resources: collections and documents.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

const aboutQuery = `Run one statement of the query language of simdb, similar to SQL without joins: ` +
	`SELECT id, text FROM docs WHERE year > 2020 ORDER BY id LIMIT 10; SHOW COLLECTIONS; SHOW SETTINGS; SHOW FIELDS; ` +
	`SIMILAR TO 'ID' WHERE sim >= 0.8; SIMILAR TO TEXT ? LIMIT 5; SIMILAR PAIRS WHERE sim >= 0.9 LIMIT 50; CLUSTERS WHERE sim >= 0.8; SOURCES OF 'ID'; RELATED TO 'ID'. ` +
	`An error names the position and the expected token.`

type queryArgs struct {
	Statement string `json:"statement" jsonschema:"the statement"`
	Params    []any  `json:"params,omitempty" jsonschema:"values of the ? placeholders, in order: strings, numbers, true, false, null"`
}

type queryAnswer struct {
	Columns []string `json:"columns"`
	Rows    [][]any  `json:"rows" jsonschema:"values of each row, in the order of the columns"`
	cut
}

// query runs the tool query. Without --allow-writes, it rejects statements that write.
func (s *server) query(ctx context.Context, db *simdb.DB, asked queryArgs) (a queryAnswer, err error) {
	may := simdb.QueryOptions{ReadOnly: !s.statements, MaxRows: int64(s.Web.MaxRows), Hints: true}
	rows, err := db.QueryWith(ctx, may, asked.Statement, asked.Params...)
	if err != nil {
		return a, err
	}
	defer rows.Close()
	a.Columns, a.Rows = rows.Columns, [][]any{}
	room := s.room(&a.cut)
	for row, err := range rows.All() {
		if errors.Is(err, api.ErrTooLarge) && len(a.Rows) == s.Web.MaxRows { // otherwise the statement itself is too large
			a.leave("only the first %d rows; use LIMIT and OFFSET for more", s.Web.MaxRows)
			break
		}
		if err != nil {
			return a, err
		}
		cells, err := room.encode(row)
		if err != nil {
			return a, err
		}
		if cells == nil {
			break
		}
		a.Rows = append(a.Rows, cells)
	}
	a.Notes = append(rows.Notes(), a.Notes...)
	return a, nil
}

// resources registers the list of collections and the documents as resources.
func (s *server) resources() {
	s.mcp.AddResource(&mcp.Resource{URI: "simdb://collections", Name: "collections", MIMEType: "application/json",
		Description: "The collections, with their document counts and settings."}, s.reading(s.collections))
	s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "simdb://{collection}/{+id}", Name: "document", MIMEType: "text/plain",
		Description: "A stored document: its text, with its metadata as _meta."}, s.reading(s.document))
}

// reading returns a handler that reads a resource within the limits of a call.
func (s *server) reading(read func(context.Context, *simdb.DB, *mcp.ResourceContents) error) mcp.ResourceHandler {
	return func(ctx context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		c := &mcp.ResourceContents{URI: r.Params.URI}
		err := s.work(ctx, func(ctx context.Context, db *simdb.DB) error { return read(ctx, db, c) })
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{c}}, err
	}
}

// collections writes the answers to SHOW COLLECTIONS and SHOW SETTINGS.
func (s *server) collections(ctx context.Context, db *simdb.DB, into *mcp.ResourceContents) error {
	counts, err := s.query(ctx, db, queryArgs{Statement: "SHOW COLLECTIONS"})
	if err != nil {
		return err
	}
	settings, err := s.query(ctx, db, queryArgs{Statement: "SHOW SETTINGS"})
	if err != nil {
		return err
	}
	b, err := json.Marshal(map[string]queryAnswer{"collections": counts, "settings": settings})
	into.Text = string(b)
	return err
}

// document reads the document of a simdb:// URI.
func (s *server) document(ctx context.Context, db *simdb.DB, into *mcp.ResourceContents) error {
	collection, id, _ := strings.Cut(strings.TrimPrefix(into.URI, "simdb://"), "/")
	collection, err := url.PathUnescape(collection)
	if err == nil {
		id, err = url.PathUnescape(id)
	}
	if err != nil {
		return fmt.Errorf("%w: the URI is simdb://COLLECTION/ID, with special characters percent-encoded", err)
	}
	doc, err := db.Get(ctx, collection, id)
	if doc.Meta != nil {
		into.Meta = mcp.Meta{"metadata": doc.Meta}
	}
	if into.Text = doc.Text; int64(len(doc.Text)) > s.maxBytes {
		into.Text = strings.ToValidUTF8(doc.Text[:s.maxBytes], "") + fmt.Sprintf("\n[truncated: %d of %d bytes; start simdb mcp with a greater --max-bytes]", s.maxBytes, len(doc.Text))
	}
	return err
}
