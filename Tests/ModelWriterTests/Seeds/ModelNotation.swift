import FreeholdEngine
import ModelWriter

/// A short notation of a class, for tests: `model("Dog", "_id: objectId key, name: string indexed, owners: Person[],
/// @clubs: Club.members")`.
///
/// Types are those of Realm's schemas, with `?` for optional, and `[]`, `<>` and `{}` for lists, sets and dictionaries.
/// Any other word is a class. `species=latin_name` is the name in code and the stored name. An `@` begins an inverse
/// relationship.
func model(
    _ name: String,
    as stored: String? = nil,
    _ properties: String,
    embedded: Bool = false,
    asymmetric: Bool = false
) -> ModelClass {
    var table = TableSpec(stored ?? name, columns: [], isEmbedded: embedded, isAsymmetric: asymmetric)
    var names: [String: String] = [:]
    var inverses: [ModelInverse] = []
    for part in properties.split(separator: ",").map({ $0.split(separator: " ").map(String.init) }) {
        var words = part
        var label = words.removeFirst()
        label.removeLast()
        var type = words.removeFirst()
        if label.hasPrefix("@") {
            let origin = type.split(separator: ".").map(String.init)
            inverses.append(ModelInverse(String(label.dropFirst()), of: origin[0], origin[1]))
            continue
        }
        let ends = label.split(separator: "=").map(String.init)
        let column = ends.last!
        if ends.count == 2 { names[column] = ends[0] }
        var kind = CollectionKind.none
        for (end, collection) in [("[]", CollectionKind.list), ("<>", .set), ("{}", .dictionary)]
        where type.hasSuffix(end) {
            kind = collection
            type.removeLast(2)
        }
        let isOptional = type.hasSuffix("?")
        if isOptional { type.removeLast() }
        let value = ModelNotation.types[type]
        var spec = ColumnSpec(
            column,
            value ?? .link,
            optional: isOptional,
            collection: kind,
            target: value == nil ? type : nil
        )
        for word in words {
            switch word {
            case "key": table.primaryKey = column
            case "indexed": spec.indexKind = .values
            case "full-text": spec.indexKind = .fullText
            default: fatalError("no such word: \(word)")
            }
        }
        table.columns.append(spec)
    }
    return ModelClass(table, name: stored == nil ? nil : name, propertyNames: names, inverses: inverses)
}

private enum ModelNotation {
    static let types: [String: ColumnType] = [
        "bool": .bool, "int": .int, "float": .float, "double": .double, "string": .string, "data": .data,
        "date": .timestamp, "decimal128": .decimal128, "objectId": .objectId, "uuid": .uuid, "mixed": .mixed,
    ]
}
