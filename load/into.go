package load

// The destinations of an import. Each is looked up once, and created with its first document.

import (
	"context"
	"errors"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// destination is a collection that an import or a sync writes to.
type destination struct {
	made        bool // it exists
	constrained bool // it has unique_sim
	settings    api.Settings
}

// destination looks up a collection. A missing collection will get the settings of the import.
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

// destinationIn looks up a collection in a snapshot. For a missing collection it returns the given
// settings.
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

// makeCollection creates a missing collection. The import calls it with the first accepted
// document, so that an import that rejects everything leaves no empty collection.
func (r *importRun) makeCollection(ctx context.Context, name string) error {
	d, err := r.destination(name)
	if err != nil || d.made {
		return err
	}
	err = r.db.CreateCollection(ctx, name, r.o.Settings)
	if errors.Is(err, api.ErrExists) { // a concurrent writer created it, perhaps with other settings
		delete(r.into, name)
		_, err = r.destination(name)
		return err
	}
	d.made = err == nil
	return err
}
