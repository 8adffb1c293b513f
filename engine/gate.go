package engine

// Who is inside the store: Close shuts the gate and waits for them.

import "sync"

// gate lets calls in until it is shut. Pebble panics on use after Close, so
// every call that touches the store passes here, and Close waits for those
// inside.
type gate struct {
	mu     sync.Mutex
	shut   bool
	inside sync.WaitGroup
}

// enter reports false once the gate is shut; otherwise leave must follow.
func (g *gate) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shut {
		return false
	}
	g.inside.Add(1)
	return true
}

func (g *gate) leave() { g.inside.Done() }

// close shuts the gate and reports whether this call was the one that did.
func (g *gate) close() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	first := !g.shut
	g.shut = true
	return first
}
