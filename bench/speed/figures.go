package main

// This file sums figures up: medians over rounds, and how they are printed.

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
)

// readFigures reads a file of figures; one that is not there has none.
func readFigures(name string) (all []figure, err error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	for lines := json.NewDecoder(f); ; {
		var one figure
		if err := lines.Decode(&one); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: figure %d: %w", name, len(all)+1, err)
		}
		all = append(all, one)
	}
}

// key is what rounds of one thing have in common.
type key struct {
	peer, question, name string
	documents, cores     int
}

// summary is what became of the rounds of one thing.
type summary struct {
	key
	median, low, high float64
	unit, note        string
	values            []float64
}

// summarise takes medians, in the order in which things first appear.
func summarise(figures []figure) (all []summary) {
	places := map[key]int{}
	for _, f := range figures {
		k := key{f.Peer, f.Question, f.Name, f.Documents, f.Cores}
		i, ok := places[k]
		if !ok {
			i = len(all)
			places[k] = i
			all = append(all, summary{key: k, unit: f.Unit})
		}
		all[i].values, all[i].note = append(all[i].values, f.Value), f.Note
	}
	for i := range all {
		s := &all[i]
		s.median, s.low, s.high = median(s.values), slices.Min(s.values), slices.Max(s.values)
	}
	return all
}

func (s summary) String() string { return number(s.median) + suffix(s.unit) }

// spread is String with the least and the greatest of several rounds.
func (s summary) spread() string {
	if len(s.values) < 2 || s.low == s.high {
		return s.String()
	}
	return fmt.Sprintf("%s (%s–%s)", s, number(s.low), number(s.high))
}

func suffix(unit string) string {
	if unit == "" {
		return ""
	}
	return " " + unit
}

// number prints three digits that count, and all digits before the point.
func number(v float64) string {
	if v == 0 || math.Abs(v) >= 100 {
		return fmt.Sprintf("%.0f", v)
	}
	digits := 2 - int(math.Floor(math.Log10(math.Abs(v))))
	return fmt.Sprintf("%.*f", min(max(digits, 0), 9), v)
}

// exponent is the slope of y over x on logarithmic axes, by least squares; ok
// is false unless there are two different x, and all above 0.
func exponent(x, y []float64) (slope float64, ok bool) {
	var mx, my, above, below float64
	for i := range x {
		if x[i] <= 0 || y[i] <= 0 {
			return 0, false
		}
		mx += math.Log(x[i]) / float64(len(x))
		my += math.Log(y[i]) / float64(len(x))
	}
	for i := range x {
		dx := math.Log(x[i]) - mx
		above += dx * (math.Log(y[i]) - my)
		below += dx * dx
	}
	return above / below, below > 1e-9
}
