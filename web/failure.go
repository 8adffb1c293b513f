package web

// Errors in responses: a status, a code for programs, a message of one line, and the position
// in a rejected statement.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/simdb/simdb/api"
)

// failure is an error of the API.
type failure struct {
	status  int
	Code    string `json:"code"`
	Message string `json:"message"`

	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
	Expected string `json:"expected,omitempty"`
	Found    string `json:"found,omitempty"`
	Hint     string `json:"hint,omitempty"`
}

func (f *failure) Error() string { return f.Message }

// refuse returns a failure with a status and a code.
func refuse(status int, code, format string, args ...any) error {
	return &failure{status: status, Code: code, Message: fmt.Sprintf(format, args...)}
}

// bad returns a failure for an invalid request.
func bad(format string, args ...any) error {
	return refuse(http.StatusBadRequest, "invalid", format, args...)
}

var errReadOnly = refuse(http.StatusForbidden, "read_only", "this server only shows the database; simdb serve --allow-writes lets it be changed")

// statuses maps errors of the database to statuses and codes; the first match counts.
var statuses = []struct {
	err    error
	status int
	code   string
}{
	{api.ErrReadOnly, http.StatusForbidden, "read_only"},
	{api.ErrNotFound, http.StatusNotFound, "not_found"},
	{api.ErrExists, http.StatusConflict, "exists"},
	{api.ErrSimilar, http.StatusConflict, "exists"},
	{api.ErrTooLarge, http.StatusRequestEntityTooLarge, "too_large"},
	{api.ErrInvalid, http.StatusBadRequest, "invalid"},
	{api.ErrNotKept, http.StatusBadRequest, "invalid"},
	{api.ErrClosed, http.StatusServiceUnavailable, "unavailable"},
	{api.ErrPoisoned, http.StatusServiceUnavailable, "unavailable"},
	{context.DeadlineExceeded, http.StatusGatewayTimeout, "timeout"},
}

// failureOf converts an error to a failure. Unknown errors have status 500.
func failureOf(err error) *failure {
	if f, ok := errors.AsType[*failure](err); ok {
		return f
	}
	f := &failure{status: http.StatusInternalServerError, Code: "failed", Message: oneLine(err)}
	for _, s := range statuses {
		if errors.Is(err, s.err) {
			f.status, f.Code = s.status, s.code
			break
		}
	}
	if f.Code == "timeout" {
		f.Message = "this took longer than a request may; ask for less, or serve with a greater --max-time"
	}
	if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
		f.status, f.Code = http.StatusRequestEntityTooLarge, "too_large"
		f.Message = fmt.Sprintf("the request is longer than %d bytes", large.Limit)
	}
	if wrong, ok := errors.AsType[*api.ParseError](err); ok {
		if f.Code == "failed" || f.Code == "invalid" {
			f.status, f.Code = http.StatusBadRequest, "rejected"
		}
		f.Line, f.Column, f.Expected, f.Found, f.Hint = wrong.Line, wrong.Col, wrong.Expected, wrong.Found, wrong.Suggestion
	}
	return f
}

// fail responds with an error and returns its status.
func fail(w http.ResponseWriter, err error) int {
	f := failureOf(err)
	switch f.status {
	case http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", "1")
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	respond(w, f.status, map[string]any{"error": f})
	return f.status
}

// respond sends v as a line of JSON. Browsers cannot mistake it for HTML, because encoding/json
// escapes <, > and &, and the line separators of JavaScript.
func respond(w http.ResponseWriter, status int, v any) {
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(v); err != nil {
		status = http.StatusInternalServerError
		b.WriteString(`{"error":{"code":"failed","message":"the answer cannot be written as JSON"}}` + "\n")
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Length", strconv.Itoa(b.Len()))
	w.WriteHeader(status)
	w.Write(b.Bytes())
}

// oneLine returns the message of an error on one line.
func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

// quoted returns text of a request for a message: shortened and escaped.
func quoted(s string) string {
	if len(s) > 100 {
		s = s[:100] + "…"
	}
	return strconv.Quote(s)
}
