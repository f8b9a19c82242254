extension Realm {
    /// The changes that opening may make to a file whose classes differ from the program's. See
    /// ``Configuration/schemaMode``.
    public enum SchemaMode: Sendable, Hashable {
        /// With a higher schema version, the file is migrated. With the same version, new classes and indexes are
        /// added. Any other difference is an error. A lower version is also an error.
        case automatic
        /// Like `automatic`, except that new properties are also added without a new version. Stored data is never
        /// changed or removed. Classes and properties that the program lacks stay in the file, and changed types are an
        /// error. The migration block doesn't run. A version lower than the file's is allowed, so that programs of
        /// several versions can share a file.
        case additive
        /// The file is opened for reading only, like with ``Configuration/readOnly``. It may have more classes and
        /// properties than the program, and another version.
        case readOnly
        /// The file is opened for reading only, and must have exactly this version.
        case immutable
    }
}
