import Synchronization

/// The description of a class that is used by name.
struct DynamicClass: Sendable {
    let schema: ObjectSchema
    /// The catalogue with the classes to which it links.
    let catalogue: DynamicCatalogue
}

/// The classes of a file for use by name: those of the realm's schema, and those that exist only in the file.
final class DynamicCatalogue: Sendable {
    private let schema: Schema
    private let infos = Mutex<[String: ClassInfo]>([:])

    init(_ schema: Schema, stored: Schema) {
        let others = stored.objectSchema.filter { schema[$0.className]?.className != $0.className }
        self.schema = Schema(schema.objectSchema + others)
    }

    /// Returns a class by its name in the file or otherwise in Swift.
    func info(named name: String) -> ClassInfo? {
        guard let object = schema[name] else { return nil }
        return infos.withLock { infos in
            if let known = infos[object.className] { return known }
            let made = ClassInfo(dynamic: DynamicClass(schema: object, catalogue: self))
            infos[object.className] = made
            return made
        }
    }

    /// Removes the classes. Each class refers to the catalogue, so the owner of a catalogue must release them.
    func clear() { infos.withLock { $0 = [:] } }
}

extension ClassInfo {
    /// Returns the class to which a link of this class leads.
    func targetInfo(of property: PropertyInfo) -> ClassInfo? {
        guard let dynamic else { return property.target.map { sibling($0) } }
        return property.targetName.flatMap { dynamic.catalogue.info(named: $0) }
    }

    /// The Swift class of the objects in the table, or nil if it has none.
    var modelClass: ObjectBase.Type? { dynamic == nil ? cls : dynamic?.schema.typed?.cls }

    /// Returns a Boolean value that indicates whether a link of this class can lead to the object. The object must have
    /// exactly the target class, or be a dynamic object of its table.
    func accepts(_ object: ObjectBase, for property: PropertyInfo) -> Bool {
        if dynamic == nil, type(of: object) == property.target { return true }
        guard let target = targetInfo(of: property) else { return false }
        if object is DynamicObject { return object._info.tableName == target.tableName }
        return type(of: object) == target.modelClass
    }
}
