package web

// /api/v1/session: sign-in for the page, which exchanges the token for a cookie. Programs send
// the token with each request instead.

import (
	"net/http"
	"time"

	"github.com/simdb/simdb"
)

const maxLogin = 4 << 10 // maximum size of a sign-in request in bytes

// sessionAnswer lists the permissions of the client and the capabilities of the server.
type sessionAnswer struct {
	TokenRequired bool     `json:"token_required"`
	SignedIn      bool     `json:"signed_in"`
	Writable      bool     `json:"writable"`
	Several       bool     `json:"several"`
	Version       string   `json:"version"`
	Renders       bool     `json:"renders"`
	Tables        []string `json:"tables"`
	MaxBody       int64    `json:"max_body"`
	MaxRows       int      `json:"max_rows"`
}

// session answers /api/v1/session: GET returns the permissions, POST signs in, DELETE signs out.
func (s *server) session(w http.ResponseWriter, r *http.Request) {
	in := s.signedIn(r)
	switch r.Method {
	case http.MethodPost:
		var login struct{ Token string }
		r.Body = http.MaxBytesReader(w, r.Body, maxLogin) // the client is not authenticated yet
		c := &call{server: s, ctx: r.Context(), w: w, r: r, start: time.Now()}
		err := c.read()
		if err == nil {
			err = c.decode(&login)
		}
		if err != nil {
			fail(w, err)
			return
		}
		if in = s.Token == "" || same(login.Token, s.Token); !in {
			fail(w, refuse(http.StatusUnauthorized, "unauthorized", "this is not the token of this server; simdb serve was started with it"))
			return
		}
		s.setCookie(w, r, s.cookie(), 0)
	case http.MethodDelete:
		in = s.Token == ""
		s.setCookie(w, r, "", -1)
	}
	respond(w, http.StatusOK, sessionAnswer{s.Token != "", in, s.Writable, s.shards != nil, simdb.Version, s.Renderer != nil, s.tables(), s.MaxBody, s.MaxRows})
}
