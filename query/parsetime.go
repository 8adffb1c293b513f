package query

// Times as the language writes them.

import "time"

// parseTime reads a time as RFC 3339 writes it, or a date, which is its midnight in UTC.
func parseTime(s string) (time.Time, bool) {
	if len(s) < len(time.DateOnly) || s[4] != '-' || s[7] != '-' { // most strings
		return time.Time{}, false
	}
	layout := time.RFC3339Nano
	if len(s) == len(time.DateOnly) {
		layout = time.DateOnly
	}
	t, err := time.Parse(layout, s)
	return t, err == nil
}
