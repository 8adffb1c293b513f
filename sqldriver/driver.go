package sqldriver

// The driver and its connectors.

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"io"

	"github.com/simdb/simdb"
)

func init() { sql.Register("simdb", Driver{}) }

// Driver is the driver registered as simdb. The zero value is ready for use; it is safe for
// concurrent use.
type Driver struct{}

var (
	_ driver.DriverContext = Driver{}
	_ io.Closer            = (*connector)(nil)
)

// Open returns a connection with a database of its own. Package sql calls OpenConnector instead.
func (d Driver) Open(name string) (driver.Conn, error) {
	c, err := d.OpenConnector(name)
	if err != nil {
		return nil, err
	}
	return &conn{connector: c.(*connector), alone: true}, nil
}

// OpenConnector returns a connector for a data source name. Its connections share one database,
// which the first query opens. An invalid name is api.ErrInvalid.
func (Driver) OpenConnector(name string) (driver.Connector, error) {
	s, err := parse(name)
	if err != nil {
		return nil, err
	}
	return &connector{newSource(s, nil), s.query}, nil
}

// NewConnector returns a connector to an open database, for sql.OpenDB. Queries see the writes of
// the program. The caller closes the database after the sql.DB.
func NewConnector(db *simdb.DB) driver.Connector {
	return &connector{newSource(nil, db), simdb.QueryOptions{ReadOnly: true}}
}

// connector creates the connections of a sql.DB, which closes it.
type connector struct {
	source *source
	limits simdb.QueryOptions
}

// Connect opens no database: the first query does, within its own context.
func (c *connector) Connect(context.Context) (driver.Conn, error) { return &conn{connector: c}, nil }

// Driver implements driver.Connector.
func (c *connector) Driver() driver.Driver { return Driver{} }

// Close refuses further queries; running queries continue.
func (c *connector) Close() error { return c.source.close() }
