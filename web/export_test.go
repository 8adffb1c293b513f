package web

// What the tests see of the inside.

// Patterns are those of all requests for data.
func Patterns() (all []string) {
	for p := range answers {
		all = append(all, p)
	}
	return all
}
