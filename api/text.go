package api

// Measures, thresholds and weights in JSON are what the language writes.

import "fmt"

// MarshalText is String.
func (m Measure) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (m *Measure) UnmarshalText(b []byte) error {
	read, ok := ParseMeasure(string(b))
	if !ok {
		return fmt.Errorf("unknown measure %q", b)
	}
	*m = read
	return nil
}

// MarshalText is String.
func (t Threshold) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText is ParseThreshold.
func (t *Threshold) UnmarshalText(b []byte) (err error) {
	*t, err = ParseThreshold(string(b))
	return err
}

// MarshalText is String; nothing of a weight that is not given.
func (w Weight) MarshalText() ([]byte, error) {
	if !w.Given() {
		return nil, nil
	}
	return []byte(w.String()), nil
}

// UnmarshalText is ParseWeight.
func (w *Weight) UnmarshalText(b []byte) (err error) {
	if *w = (Weight{}); len(b) > 0 {
		*w, err = ParseWeight(string(b))
	}
	return err
}
