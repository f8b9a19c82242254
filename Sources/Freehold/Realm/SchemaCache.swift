import Synchronization

/// Tells copies of one schema from others without looking at it.
final class SchemaIdentity: Sendable {}

/// The schemas that were made, so that opening a realm again looks at no class.
enum SchemaCache {
    /// Sendable because a schema is immutable and made of nothing else.
    private struct Entry: @unchecked Sendable {
        let schema: Schema
    }

    private enum Key: Hashable {
        /// Of so many classes: there can be more when a library was loaded.
        case discovered(Int, Naming)
        case listed([ObjectIdentifier], Naming)
    }

    private static let schemas = Mutex<[Key: Entry]>([:])

    /// The schema of these classes, or of all where there are none given.
    static func schema(of types: [ObjectBase.Type]?, _ naming: Naming) throws(Realm.Error) -> Schema {
        let key: Key =
            types.map { .listed($0.map { ObjectIdentifier($0) }, naming) }
            ?? .discovered(Discovery.modelClasses().count, naming)
        if let found = schemas.withLock({ $0[key] }) { return found.schema }
        var schema = try SchemaBuilder.build(types, naming: naming)
        schema.identity = SchemaIdentity()
        let made = Entry(schema: schema)
        schemas.withLock { $0[key] = made }
        return made.schema
    }
}
