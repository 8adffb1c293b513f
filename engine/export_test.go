package engine

// SetSegmentSets lets tests outside of the package make posting segments of few sets.
func (o *Options) SetSegmentSets(n uint32) { o.SegmentSets = n }
