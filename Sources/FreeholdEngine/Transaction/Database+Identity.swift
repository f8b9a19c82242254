extension Database {
    /// An identifier of the file in this process. It is equal for all handles of the file, whatever their paths, as long as one of them lives.
    public var identity: ObjectIdentifier { ObjectIdentifier(core) }
}
