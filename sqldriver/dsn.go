package sqldriver

// Data source names.

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// settings is a parsed data source name.
type settings struct {
	path    string
	open    simdb.Options
	query   simdb.QueryOptions
	refresh time.Duration // 0 means never
}

// parse parses a data source name; the path extends to the first "?".
func parse(name string) (*settings, error) {
	path, options, _ := strings.Cut(name, "?")
	values, err := url.ParseQuery(options)
	if err != nil {
		return nil, invalid("the options %q: %v", options, err)
	}
	if path == "" {
		return nil, invalid("the data source name %q has no path", name)
	}
	s := settings{path: path, open: simdb.Options{ReadOnly: true, MustExist: true}, query: simdb.QueryOptions{ReadOnly: true}}
	for option, given := range values {
		if len(given) > 1 {
			return nil, invalid("the option %s is given twice", option)
		}
		if err := s.set(option, given[0]); err != nil {
			return nil, err
		}
	}
	return &s, nil
}

// set applies one option.
func (s *settings) set(option, value string) (err error) {
	switch option {
	case "timeout":
		s.query.Timeout, err = duration(value)
	case "refresh":
		s.refresh, err = duration(value)
	case "max_rows":
		s.query.MaxRows, err = number(value)
	case "cache_bytes":
		s.open.CacheBytes, err = number(value)
	case "memory_bytes":
		s.open.MemoryBytes, err = number(value)
	default:
		return invalid("unknown option %q: want timeout, max_rows, refresh, cache_bytes or memory_bytes", option)
	}
	if err != nil {
		return invalid("the option %s=%s: want %v", option, value, err)
	}
	return nil
}

// duration parses a positive duration.
func duration(value string) (time.Duration, error) {
	d, err := time.ParseDuration(value)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("a duration above 0, such as 5s")
	}
	return d, nil
}

// number parses a positive number.
func number(value string) (int64, error) {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n <= 0 {
		return 0, fmt.Errorf("a number above 0")
	}
	return n, nil
}

// invalid returns an error that wraps api.ErrInvalid.
func invalid(format string, args ...any) error {
	return fmt.Errorf("sqldriver: %w: %s", api.ErrInvalid, fmt.Sprintf(format, args...))
}

// readOnly returns an error that wraps api.ErrReadOnly.
func readOnly(format string, args ...any) error {
	return fmt.Errorf("sqldriver: %w: %s", api.ErrReadOnly, fmt.Sprintf(format, args...))
}
