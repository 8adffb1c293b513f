package load

// The collections that an import puts into: what it must know of each, and when it makes
// one.

import (
	"context"
	"errors"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// destination is a collection that an import or a sync puts into.
type destination struct {
	made        bool
	constrained bool // it has unique_sim
	settings    api.Settings
}

// destination looks a collection up. One that is not there will have the settings of the
// import.
func (r *importRun) destination(name string) (*destination, error) {
	if d := r.into[name]; d != nil {
		return d, nil
	}
	s, err := r.db.Snapshot()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	d, err := destinationIn(s, name, r.o.Settings)
	if err == nil {
		r.into[name] = d
	}
	return d, err
}

// destinationIn looks a collection up, or takes the settings that it will have.
func destinationIn(s *simdb.Snapshot, name string, settings api.Settings) (*destination, error) {
	info, err := s.Collection(name)
	there := err == nil && !info.Implied
	if err != nil && !errors.Is(err, api.ErrNoCollection) {
		return nil, err
	}
	if there {
		settings = info.Settings
	}
	return &destination{made: there, constrained: settings.UniqueSim != "", settings: settings}, nil
}

// makeCollection waits for the first document of a collection, so that an import all of
// which is rejected leaves no empty one.
func (r *importRun) makeCollection(ctx context.Context, name string) error {
	d, err := r.destination(name)
	if err != nil || d.made {
		return err
	}
	err = r.db.CreateCollection(ctx, name, r.o.Settings)
	if errors.Is(err, api.ErrExists) { // made by somebody else, with other settings perhaps
		delete(r.into, name)
		_, err = r.destination(name)
		return err
	}
	d.made = err == nil
	return err
}
