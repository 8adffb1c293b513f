// Command server answers over HTTP which stored texts are similar:
//
//	server [-addr 127.0.0.1:8080] STORE
//
//	PUT  /texts/ID             stores the body as a text
//	GET  /texts/ID/similar     the stored texts that are like a stored one
//	POST /similar              those that are like the body; both take ?min=0.8
//
// It listens on the loopback address and asks nobody who they are. Put a proxy that
// does in front of it before others may reach it.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

const (
	maxBody  = 1 << 20          // bytes of a text
	maxRows  = 100              // of an answer
	patience = 10 * time.Second // for one request, and for those under way at the end
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "server:", err)
		os.Exit(1)
	}
}

// run serves until ctx ends. Then it takes no more requests, waits for those under
// way, and closes the store.
func run(ctx context.Context, args []string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("server", flag.ContinueOnError)
	addr := flags.String("addr", "127.0.0.1:8080", "where to listen")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return fmt.Errorf("want a store, found %d arguments", flags.NArg())
	}
	db, err := simdb.Open(flags.Arg(0), nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		return err
	}
	srv := &http.Server{
		Handler:           newHandler(db),
		ReadHeaderTimeout: patience,
		ReadTimeout:       patience,
		WriteTimeout:      2 * patience,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
	}
	fmt.Fprintf(out, "listening on http://%s\n", listener.Addr())
	served := make(chan error, 1)
	go func() { served <- srv.Serve(listener) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	return srv.Shutdown(last)
}

// newHandler answers requests. A page of another site that is open in a browser on
// this machine could send some too, so requests across origins are refused.
func newHandler(db *simdb.DB) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("PUT /texts/{id}", func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		if err == nil {
			err = db.Put(r.Context(), api.Document{ID: r.PathValue("id"), Text: string(text)})
		}
		if err != nil {
			fail(w, err)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("GET /texts/{id}/similar", func(w http.ResponseWriter, r *http.Request) {
		similar(w, r, db, api.ByID(r.PathValue("id")))
	})
	mux.HandleFunc("POST /similar", func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			fail(w, err)
			return
		}
		similar(w, r, db, api.ByText(string(text)))
	})
	limited := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), patience)
		defer cancel()
		r = r.WithContext(ctx)
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		mux.ServeHTTP(w, r)
	})
	return http.NewCrossOriginProtection().Handler(limited)
}

// row is a match as it is sent.
type row struct {
	ID     string  `json:"id"`
	Sim    float64 `json:"sim"`
	Shared uint64  `json:"shared"`
	Union  uint64  `json:"union"`
}

func similar(w http.ResponseWriter, r *http.Request, db *simdb.DB, target api.Target) {
	least := api.Ratio(4, 5)
	if given := r.URL.Query().Get("min"); given != "" {
		var err error
		if least, err = api.ParseThreshold(given); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
	}
	rows, err := collect(db.Similar(r.Context(), target, simdb.Min(least), simdb.Limit(maxRows)))
	if err != nil {
		fail(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(rows)
}

// collect gathers the matches before the first byte of the answer is sent, so that
// an error still has its status.
func collect(matches iter.Seq2[api.Match, error]) ([]row, error) {
	rows := []row{}
	for m, err := range matches {
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{m.ID, m.Sim, m.Shared, m.Union})
	}
	return rows, nil
}

// fail answers with the status that fits an error. What went wrong inside stays
// inside.
func fail(w http.ResponseWriter, err error) {
	var tooLong *http.MaxBytesError
	status := http.StatusInternalServerError
	switch {
	case errors.As(err, &tooLong), errors.Is(err, api.ErrTooLarge):
		status = http.StatusRequestEntityTooLarge
	case errors.Is(err, api.ErrNotFound):
		status = http.StatusNotFound
	case errors.Is(err, api.ErrInvalid):
		status = http.StatusBadRequest
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, api.ErrClosed):
		status = http.StatusServiceUnavailable
	default:
		fmt.Fprintln(os.Stderr, "server:", err)
	}
	http.Error(w, strconv.Itoa(status)+" "+http.StatusText(status), status)
}
