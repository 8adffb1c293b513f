package record

// What a collection is created with.

// maxListBytes bounds the lists of a collection, which memory holds as long as the store is
// open: about 50,000 names.
const maxListBytes = 1 << 20
