package web_test

// Examples of mounting the page in a program.

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/web"
)

// The page and the API of a database, beside what else a program serves.
func ExampleHandler() {
	db, err := simdb.Open("", &simdb.Options{InMemory: true})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	if err := db.Put(context.Background(), api.Document{ID: "a", Text: "the trick is to look at many small pieces"}); err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/texts/", http.StripPrefix("/texts", web.Handler(db, &web.Options{MaxRows: 100})))
	server := httptest.NewServer(mux) // or http.ListenAndServe("127.0.0.1:8474", mux)
	defer server.Close()

	res, err := http.Post(server.URL+"/texts/api/v1/query", "application/json",
		strings.NewReader(`{"statement": "SIMILAR TO TEXT ? WHERE sim >= 40% RETURNING id, sim", "params": ["look at many small pieces"]}`))
	if err != nil {
		log.Fatal(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		log.Fatal(err)
	}
	before, _, _ := strings.Cut(string(answer), `,"notes"`)
	fmt.Println(res.Status, before)
	// Output: 200 OK {"columns":["id","sim"],"rows":[{"id":"a","sim":0.42857142857142855}]
}

// What a program itself answers from a database may be kept from strangers by the same rules.
func ExampleGuard() {
	mine := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "for you") })
	server := httptest.NewServer(web.Guard(mine, &web.Options{Token: "secret"}))
	defer server.Close()
	for _, header := range []string{"", "Bearer secret"} {
		r, err := http.NewRequest("GET", server.URL+"/mine", nil)
		if err != nil {
			log.Fatal(err)
		}
		r.Header.Set("Authorization", header)
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			log.Fatal(err)
		}
		res.Body.Close()
		fmt.Println(res.Status)
	}
	// Output:
	// 401 Unauthorized
	// 200 OK
}

// A token keeps others out. Programs send it, and who opens the page is asked for it.
func ExampleHandler_token() {
	db, err := simdb.Open("", &simdb.Options{InMemory: true})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	server := httptest.NewServer(web.Handler(db, &web.Options{Token: "secret"}))
	defer server.Close()
	for _, header := range []string{"", "Bearer secret"} {
		r, err := http.NewRequest("GET", server.URL+"/api/v1/collections", nil)
		if err != nil {
			log.Fatal(err)
		}
		r.Header.Set("Authorization", header)
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			log.Fatal(err)
		}
		res.Body.Close()
		fmt.Println(res.Status)
	}
	// Output:
	// 401 Unauthorized
	// 200 OK
}
