package web

// POST /api/v1/query: a statement of the query language. The database checks its permissions on
// the parsed statement, not on its text.

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/params"
)

type queryRequest struct {
	Statement string          `json:"statement"`
	Params    json.RawMessage `json:"params"`
}

type queryAnswer struct {
	Columns []string          `json:"columns"`
	Rows    []json.RawMessage `json:"rows"`
	Notes   []string          `json:"notes"`
	More    bool              `json:"more"`
	Plan    *api.Plan         `json:"plan"`
	Elapsed float64           `json:"elapsed_ms"`
}

// query runs a statement and answers with at most MaxRows rows.
func query(c *call, req queryRequest) error {
	if strings.TrimSpace(req.Statement) == "" {
		return bad("there is no statement; send one as {\"statement\": \"…\"}")
	}
	params, err := paramsOf(req.Params)
	if err != nil {
		return err
	}
	c.stream()
	may := simdb.QueryOptions{ReadOnly: !c.Writable, MaxRows: int64(c.MaxRows)}
	found, err := c.statement(may, req.Statement, params)
	if err != nil {
		return err
	}
	defer found.Close()
	a := queryAnswer{Columns: found.Columns}
	if c.out != nil {
		if err := c.out.writeEvent("columns", pair{"columns", a.Columns}); err != nil {
			return err
		}
	}
	list, taken := c.rows(), 0
	for row, err := range found.All() {
		switch {
		case errors.Is(err, api.ErrTooLarge) && taken == c.MaxRows: // otherwise the statement itself is too large
			a.More = true
			a.Notes = append(a.Notes, "these are the first rows of more than the server gives; ask with LIMIT and OFFSET")
		case err != nil:
			return err
		default:
			taken++
			if err = list.add(object(a.Columns, row)); errors.Is(err, errFull) {
				a.More, a.Notes = true, append(a.Notes, fullNote)
			} else if err != nil {
				return err
			}
		}
		if a.More {
			break
		}
	}
	a.Rows, a.Plan, a.Elapsed = list.list, found.Plan(), c.elapsed()
	a.Notes = append(append([]string{}, found.Notes()...), a.Notes...)
	return c.respond(a)
}

// paramsOf decodes values for ? and $1 from a list, or for :name from an object.
func paramsOf(raw json.RawMessage) (list []any, err error) {
	if len(raw) == 0 {
		return nil, nil
	}
	if params.Count(raw) > params.Max {
		return nil, bad("params have more than %d values; split the statement", params.Max)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var given any
	if err := d.Decode(&given); err != nil {
		return nil, bad("params: %v", err)
	}
	switch given := given.(type) {
	case nil:
	case []any:
		list = given
	case map[string]any:
		for name, v := range given {
			list = append(list, simdb.Named(name, v))
		}
	default:
		return nil, bad("params must be a list of values, or an object with those of :name")
	}
	return list, nil
}

// object returns a row as an object, with its values in the order of the columns.
func object(columns []string, row simdb.Row) pairs {
	p := make(pairs, len(columns))
	for i, name := range columns {
		p[i] = pair{name, row[i]}
	}
	return p
}

// statement runs a statement on the database, or on several together.
func (c *call) statement(opts simdb.QueryOptions, text string, params []any) (*simdb.Rows, error) {
	if c.shards != nil {
		return c.shards.QueryWith(c.ctx, opts, text, params...)
	}
	return c.db.QueryWith(c.ctx, opts, text, params...)
}
