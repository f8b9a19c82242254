import FreeholdBSON
import FreeholdEngine

/// Writes conditions that find documents. The printer of the query language quotes all names and values, so that a value with quotation marks can't
/// change the condition.
struct DocumentCondition {
    let table: Table
    let key: Column

    init(classes table: Table, key: Column) { (self.table, self.key) = (table, key) }

    private static let mostBytes = 4_096

    /// Returns the condition that holds for the documents with the keys.
    func text(keys: [BSONValue]) -> String {
        let texts = keys.compactMap { DocumentWriter.engineValue($0, key.type).map { Self.constant($0) } }
        guard !texts.isEmpty else { return "FALSEPREDICATE" }
        return "\(QueryWord.written(key.name)) IN {\(texts.joined(separator: ", "))}"
    }

    private static func constant(_ value: Value) -> String {
        let path = NamedPath([.name("x")])
        let text = QueryPrinter.text(.compare(.path(path), .equal, .constant(.value(value)), [])) { _ in nil }
        return String(text.dropFirst("x == ".count))
    }

    /// Returns the condition that holds for the documents whose property links to a document.
    static func text(_ column: Column, linksTo target: Table, key: Value) -> String {
        condition(column, .objectWithPrimaryKey(className: target.name, key), isNegated: false)
    }

    /// Returns the condition for documents with the same value of a property, or `nil` if the query language can't express it.
    static func text(_ value: BSONValue?, _ column: Column, _ classes: DocumentClasses, isNegated: Bool) -> String? {
        guard column.collection == .none else { return nil }
        guard column.type != .link else {
            guard let target = classes.target(column), let key = target.primaryKey else { return nil }
            guard let value, !value.isNull else { return condition(column, .value(.null), isNegated: isNegated) }
            return DocumentWriter.engineValue(value, key.type).map {
                condition(column, .objectWithPrimaryKey(className: target.name, $0), isNegated: isNegated)
            }
        }
        switch DocumentWriter.engineValue(value ?? .null, column.type) {
        case .string(let text)? where text.utf8.count > mostBytes: return nil
        case .data(let data)? where data.count > mostBytes: return nil
        case let value?: return condition(column, .value(value), isNegated: isNegated)
        case nil: return nil
        }
    }

    private static func condition(_ column: Column, _ constant: Constant, isNegated: Bool) -> String {
        let path = NamedPath([.name(column.name)])
        return QueryPrinter.text(.compare(.path(path), isNegated ? .notEqual : .equal, .constant(constant), [])) {
            _ in nil
        }
    }
}
