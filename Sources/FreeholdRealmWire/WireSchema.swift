/// The classes of a file, as changesets create them.
public struct WireSchema: Hashable, Sendable {
    /// A class and its fields. The field of the primary key isn't among them.
    public struct Table: Hashable, Sendable {
        public var spec: TableSpec
        /// The fields in the order of their creation.
        public private(set) var columns: [ColumnSpec] = []
        private var positions: [WireText: Int] = [:]

        public init(_ spec: TableSpec) { self.spec = spec }

        /// Returns a field, or `nil` if the class doesn't have it.
        public subscript(field: WireText) -> ColumnSpec? { positions[field].map { columns[$0] } }

        mutating func add(_ column: ColumnSpec) {
            positions[column.field] = columns.count
            columns.append(column)
        }

        mutating func remove(_ field: WireText) {
            columns.removeAll { $0.field == field }
            positions = Dictionary(uniqueKeysWithValues: columns.enumerated().map { ($1.field, $0) })
        }
    }

    public private(set) var tables: [WireText: Table] = [:]

    public init() {}

    public subscript(table: WireText) -> Table? { tables[table] }

    /// A Boolean value that indicates whether a field contains embedded objects.
    public func isEmbedded(_ column: ColumnSpec) -> Bool {
        column.target.flatMap { tables[$0] }?.spec.kind == .embedded
    }

    /// Adds a class. An existing class isn't changed.
    /// - Throws: `ApplyError` if an existing class is different.
    public mutating func add(_ spec: TableSpec) throws(ApplyError) {
        guard let present = tables[spec.name]?.spec else { return tables[spec.name] = Table(spec) }
        guard present == spec else { throw ApplyError(.stopsSession, "The class is present and different") }
    }

    /// Adds a field. An existing field isn't changed.
    /// - Throws: `ApplyError` if its class or the linked class is missing, or if an existing field is different.
    public mutating func add(_ column: ColumnSpec) throws(ApplyError) {
        guard let table = tables[column.table] else {
            throw ApplyError(.stopsSession, "The class of a field is missing")
        }
        if let target = column.target, !target.isEmpty {
            guard let linked = tables[target] else {
                throw ApplyError(.stopsSession, "The class that a field links to is missing")
            }
            guard linked.spec.kind != .asymmetric else {
                throw ApplyError(.terminatesClient, "A field links to an asymmetric class")
            }
            guard linked.spec.kind != .embedded || column.collection != .set else {
                throw ApplyError(.terminatesClient, "A set can't contain embedded objects")
            }
        }
        if let present = table[column.field] {
            guard
                present.kind == column.kind, present.collection == column.collection, present.target == column.target
            else { throw ApplyError(.stopsSession, "The field is present and different") }
            return
        }
        guard column.kind != .mixed || column.isNullable || column.collection == .dictionary else {
            throw ApplyError(.stopsSession, "A mixed field has to be nullable")
        }
        tables[column.table]!.add(column)
    }

    mutating func remove(table: WireText) throws(ApplyError) {
        guard tables[table] != nil else { throw ApplyError(.stopsSession, "The class is missing") }
        let isTarget = tables.values.contains { $0.spec.name != table && $0.columns.contains { $0.target == table } }
        guard !isTarget else { throw ApplyError(.terminatesClient, "A field links to the class") }
        tables[table] = nil
    }

    mutating func remove(field: WireText, of table: WireText) throws(ApplyError) {
        guard tables[table]?[field] != nil else { throw ApplyError(.stopsSession, "The field is missing") }
        tables[table]!.remove(field)
    }
}

/// A change that the official client can't apply.
public struct ApplyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The effect of the error on the client.
    public typealias Effect = MergeError.Effect

    public var effect: Effect
    /// The reason, for people. It contains no data.
    public var reason: String
    /// The position of the instruction in its changeset, or `nil`.
    public var position: Int?

    public init(_ effect: Effect, _ reason: String, position: Int? = nil) {
        self.effect = effect
        self.reason = reason
        self.position = position
    }

    public var description: String { position.map { "\(reason) (instruction \($0))" } ?? reason }
}
