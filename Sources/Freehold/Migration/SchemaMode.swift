extension Realm {
    /// What opening may do to a file whose classes differ from the program's: see ``Configuration/schemaMode``.
    public enum SchemaMode: Sendable, Hashable {
        /// With a higher schema version the file is migrated; with the same one new classes and indexes are added, and
        /// anything else is an error, as a lower version is.
        case automatic
        /// As `automatic`, but new properties are added without a new version too. Nothing is ever changed or taken away:
        /// what the classes lack stays, changed types are an error, and the migration block isn't run. A lower version
        /// than the file's is no error, so that programs of several versions can share a file.
        case additive
        /// The file is read only, as with ``Configuration/readOnly``. It may have more classes and properties than the
        /// program, and another version.
        case readOnly
        /// The file is read only, and has exactly this version.
        case immutable
    }
}
