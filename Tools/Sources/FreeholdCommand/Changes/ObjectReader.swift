import Foundation
import Freehold

/// A reader of properties of a class's objects, in the form in which they are shown and compared.
struct ObjectReader {
    let className: String
    /// The names of the properties.
    let names: [String]
    /// The name of the primary key, or nil if the class has none.
    let key: String?

    /// - Parameter names: The names of the properties, or nil for all stored properties.
    init(_ object: ObjectSchema, _ names: [String]? = nil) {
        className = object.className
        self.names = names ?? object.properties.map(\.name)
        key = object.primaryKeyProperty?.name
    }

    func cells(of object: DynamicObject) throws -> [RowText.Cell] {
        do {
            return try Self.cells(of: object, names)
        } catch let error as JSONError where error.kind == .cycle || error.kind == .tooDeep {
            // The remaining properties can be shown.
            return try names.map { name in
                do {
                    return try Self.cells(of: object, [name])[0]
                } catch let error as JSONError where error.kind == .cycle || error.kind == .tooDeep {
                    return .string("…")
                }
            }
        }
    }

    /// Returns the value of the primary key, or nil if the class has none.
    func key(of object: DynamicObject) throws -> RowText.Cell? {
        try key.map { try Self.cells(of: object, [$0])[0] }
    }

    private static func cells(of object: DynamicObject, _ names: [String]) throws -> [RowText.Cell] {
        guard let realm = object.realm else { throw Failure(.failure, "an object was deleted while it was read") }
        let options = JSONExportOptions(names: .stored, properties: names)
        return try realm.jsonData(of: object, options: options).withUnsafeBytes { RowText.cells(of: $0) }
    }
}
