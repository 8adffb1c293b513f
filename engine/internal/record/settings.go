package record

// Limits of a collection's settings.

// maxListBytes bounds each list of a collection, to about 50,000 names, because the lists stay in
// memory while the store is open.
const maxListBytes = 1 << 20
