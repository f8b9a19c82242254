import Synchronization

/// What a class is that is used by name.
struct DynamicClass: Sendable {
    let schema: ObjectSchema
    /// Where the classes are that it links to.
    let catalogue: DynamicCatalogue
}

/// The classes of a file as they are used by name: those of the realm's schema, and those that only the file has.
final class DynamicCatalogue: Sendable {
    private let schema: Schema
    private let infos = Mutex<[String: ClassInfo]>([:])

    init(_ schema: Schema, stored: Schema) {
        let others = stored.objectSchema.filter { schema[$0.className]?.className != $0.className }
        self.schema = Schema(schema.objectSchema + others)
    }

    /// By the name in the file, else in Swift.
    func info(named name: String) -> ClassInfo? {
        guard let object = schema[name] else { return nil }
        return infos.withLock { infos in
            if let known = infos[object.className] { return known }
            let made = ClassInfo(dynamic: DynamicClass(schema: object, catalogue: self))
            infos[object.className] = made
            return made
        }
    }

    /// Each class refers to the catalogue: whoever made that lets go of the classes.
    func clear() { infos.withLock { $0 = [:] } }
}

extension ClassInfo {
    /// The class that a link of this one leads to.
    func targetInfo(of property: PropertyInfo) -> ClassInfo? {
        guard let dynamic else { return property.target.map { sibling($0) } }
        return property.targetName.flatMap { dynamic.catalogue.info(named: $0) }
    }

    /// The Swift class whose objects the table holds.
    var modelClass: ObjectBase.Type? { dynamic == nil ? cls : dynamic?.schema.typed?.cls }

    /// Whether a link of this class can lead to the object: of exactly the target's class, or a dynamic one of its
    /// table.
    func accepts(_ object: ObjectBase, for property: PropertyInfo) -> Bool {
        if dynamic == nil, type(of: object) == property.target { return true }
        guard let target = targetInfo(of: property) else { return false }
        if object is DynamicObject { return object._info.tableName == target.tableName }
        return type(of: object) == target.modelClass
    }
}
