package syntax

// Suggestions.

import (
	"testing"
)

func TestDidYouMean(t *testing.T) {
	names := []string{"sim", "size", "shingles", "year"}
	tests := []struct{ in, want string }{
		{"yaer", "did you mean year?"}, {"SIMM", "did you mean sim?"}, {"shingels", "did you mean shingles?"},
		{"author", ""}, {"", ""},
	}
	for _, tt := range tests {
		if got := DidYouMean(tt.in, names); got != tt.want {
			t.Errorf("didYouMean(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}
