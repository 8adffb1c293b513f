package api

// Measures, thresholds and weights in JSON, in the syntax of the language.

import "fmt"

// MarshalText returns String.
func (m Measure) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText parses the result of MarshalText.
func (m *Measure) UnmarshalText(b []byte) error {
	read, ok := ParseMeasure(string(b))
	if !ok {
		return fmt.Errorf("unknown measure %q", b)
	}
	*m = read
	return nil
}

// MarshalText returns String.
func (t Threshold) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText calls ParseThreshold.
func (t *Threshold) UnmarshalText(b []byte) (err error) {
	*t, err = ParseThreshold(string(b))
	return err
}

// MarshalText returns String; no bytes if the weight is not given.
func (w Weight) MarshalText() ([]byte, error) {
	if !w.Given() {
		return nil, nil
	}
	return []byte(w.String()), nil
}

// UnmarshalText calls ParseWeight; no bytes mean not given.
func (w *Weight) UnmarshalText(b []byte) (err error) {
	if *w = (Weight{}); len(b) > 0 {
		*w, err = ParseWeight(string(b))
	}
	return err
}
