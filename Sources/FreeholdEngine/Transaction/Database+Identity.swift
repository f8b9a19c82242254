extension Database {
    /// Equal for all handles of one file in this process, whichever paths led to it, while one of them lives.
    public var identity: ObjectIdentifier { ObjectIdentifier(core) }
}
