package engine

// Stores of many that rest: Pebble, which takes goroutines and memory, is closed until the
// next call. What is in memory of the collections stays.

// use keeps Pebble open until unuse. Every call of the store does so, and each snapshot of a
// caller.
func (db *DB) use() error {
	if db.opts.sleeps() {
		return db.opts.Shared.use(db)
	}
	return nil
}

func (db *DB) unuse() {
	if db.opts.sleeps() {
		db.opts.Shared.unuse(db)
	}
}

// sleeps says whether the store may sleep. One that is only read keeps the files of a moment
// open, and has in memory what others would have to write.
func (o *Options) sleeps() bool { return o.Shared != nil && !o.ReadOnly }

// sleep writes what Close would, and closes Pebble. No one uses the store.
func (db *DB) sleep() error {
	if err := db.disk.Poisoned(); err != nil {
		return err
	}
	db.dozing.Store(true) // the flush must not wake the builder, which would wake the store
	defer db.dozing.Store(false)
	if err := db.settle(); err != nil {
		return err
	}
	for s := range db.openSnapshots() { // that a panic has left behind
		if err := s.close(); err != nil {
			db.opts.Logger.Error("closing a snapshot", "error", err)
		}
	}
	db.disk.Sleep()
	return nil
}

// wake opens Pebble again.
func (db *DB) wake() error { return db.disk.Wake() }

// advanced is told of each flush that ended.
func (db *DB) advanced() {
	if !db.dozing.Load() {
		db.wakeBuilder()
	}
}
