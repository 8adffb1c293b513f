package record

// Limits of a collection's settings.

// maxListBytes bounds the lists of a collection, about 50,000 names: they stay in memory while
// the store is open.
const maxListBytes = 1 << 20
