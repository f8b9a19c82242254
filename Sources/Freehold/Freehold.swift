// See `Realm` for where to begin.
