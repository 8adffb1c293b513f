package measure

// Threshold is a similarity bound as an exact rational in [0,1]. Decisions at
// the bound are made in integers: in float64 (1−0.9)·10 is 0.9999999999999998.
type Threshold struct{ num, den uint64 } // den 0 stands for the zero value: 0

// Ratio returns num/den. It panics unless num ≤ den and 0 < den < 2³².
func Ratio(num, den uint64) Threshold { panic("stub") }

// ParseThreshold reads "0.8", "80%", "4/5" or "1". "80" is an error that asks
// "did you mean 80%?".
func ParseThreshold(s string) (Threshold, error) { panic("stub") }

// FromFloat reads a float by its shortest decimal, so that FromFloat(0.8) is
// 4/5 although float64(0.8) is a little more.
func FromFloat(f float64) (Threshold, error) { panic("stub") }

// Admits reports num/den ≥ t, exactly. den 0 is never admitted.
func (t Threshold) Admits(num, den uint64) bool { panic("stub") }

// Ceil returns ⌈t·n⌉.
func (t Threshold) Ceil(n uint64) uint64 { panic("stub") }

// Cmp orders thresholds: −1, 0 or +1.
func (t Threshold) Cmp(u Threshold) int { panic("stub") }

// Float64 returns the nearest float64.
func (t Threshold) Float64() float64 { panic("stub") }

// String returns the shortest decimal, "0.8", or "num/den" where none is exact.
func (t Threshold) String() string { panic("stub") }
