public import FreeholdEngine

/// The classes to which conditions apply, as far as the server knows them.
///
/// With a schema, a condition that the language doesn't allow for a class is an error of compilation, as in an app's
/// own file. Without one (in an app without a schema), the values decide: see `QueryMatcher`.
public struct ConditionSchema: Sendable {
    private let tables: [String: TableSpec]
    private let names: FreeholdEngine.SchemaNames

    /// - Complexity: O(size of the classes)
    public init(_ tables: [TableSpec]) {
        self.tables = Dictionary(tables.map { ($0.name, $0) }) { first, _ in first }
        names = FreeholdEngine.SchemaNames(tables)
    }

    func table(_ name: String) -> TableSpec? { tables[name] }

    /// Checks a condition in the form of a client: its properties exist, its constants have fitting types, and it
    /// doesn't lead through links.
    ///
    /// Conditions on classes that aren't in the schema aren't checked.
    /// - Throws: `ConditionError`
    public func check(_ query: ClassQuery) throws(ConditionError) {
        guard let table = names.cls(named: query.className.string) else { return }
        let written = try WrittenQuery(query.condition)
        // Unsupported features are reported before other errors.
        _ = try ObjectTest(written.condition, in: ConditionSource(query.condition, self, tables[table.name]))
        do throws(FreeholdEngine.QueryError) { _ = try QueryCompiler(names, table).compile(written) } catch {
            throw ConditionError(error.message, at: error.position, in: query.condition)
        }
    }
}

extension WrittenQuery {
    /// Parses a condition without an order and without limits.
    ///
    /// - Throws: `ConditionError`
    init(_ condition: SyncString) throws(ConditionError) {
        do throws(FreeholdEngine.QueryError) { self = try QueryParser.parse(condition.string) } catch {
            throw ConditionError(error.message, at: error.position, in: condition)
        }
        guard stages.isEmpty else {
            throw ConditionError(
                position: 0,
                text: "Sorting, distinct and limits aren't part of what is subscribed to."
            )
        }
    }
}

/// The text of a condition that is compiled, and the class of the condition.
struct ConditionSource {
    let text: SyncString
    let schema: ConditionSchema?
    /// The class, or `nil` if it is unknown.
    var table: TableSpec?

    init(_ text: SyncString, _ schema: ConditionSchema?, _ table: TableSpec?) {
        (self.text, self.schema, self.table) = (text, schema, table)
    }

    func error(_ message: String, at position: Int? = nil) -> ConditionError {
        ConditionError(message, at: position, in: text)
    }

    func unserved(_ what: String, at position: Int? = nil) -> ConditionError {
        error("\(what) isn't served.", at: position)
    }
}
