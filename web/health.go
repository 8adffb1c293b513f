package web

// GET /healthz: a health check for programs that start and stop servers. It requires no token and
// reveals nothing about the stored data.

import "net/http"

type healthAnswer struct {
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
}

// health reports whether the database can take a snapshot.
func (s *server) health(w http.ResponseWriter, _ *http.Request) {
	db, done := s.Lend()
	defer done()
	snap, err := db.Snapshot()
	if err != nil {
		respond(w, http.StatusServiceUnavailable, healthAnswer{"failing", failureOf(err).Message})
		return
	}
	snap.Close()
	respond(w, http.StatusOK, healthAnswer{Status: "ok"})
}
