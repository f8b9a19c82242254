/// A message or a changeset that would stop or terminate an official client.
public struct OutgoingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason, for people. It contains no data.
    public var reason: String
    /// The position of the instruction in its changeset, or `nil`.
    public var position: Int?

    public init(_ reason: String, position: Int? = nil) {
        self.reason = reason
        self.position = position
    }

    public var description: String { position.map { "\(reason) (instruction \($0))" } ?? reason }
}

/// A check of changesets before they are sent.
///
///     let validator = ChangesetValidator(version: 14)
///     try validator.apply(repair, to: &shown)
public struct ChangesetValidator: Sendable {
    /// The version of the connection's protocol.
    public let version: Int

    /// The greatest lengths of names in bytes.
    static let greatestTableName = 57
    static let greatestFieldName = 63
    /// The greatest number of steps into a value.
    static let greatestDepth = 100

    public init(version: Int) { self.version = version }

    /// Checks a changeset, and applies it to the state that the client will have before it.
    ///
    /// - Parameters:
    ///   - shown: The state of the client, as far as the changeset touches it. It is unchanged if the function throws.
    ///   - change: The number of the changeset for the identities of inserted elements.
    public func apply(_ changeset: Changeset, to shown: inout WireState, as change: UInt64? = nil) throws(OutgoingError)
    {
        try check(changeset, schema: shown.schema)
        do throws(ApplyError) {
            try shown.apply(changeset, as: change, isStrict: true)
        } catch {
            throw OutgoingError(error.reason, position: error.position)
        }
    }

    /// Checks the rules that don't depend on the client's objects.
    ///
    /// - Parameter schema: The client's classes. The changeset may add to them.
    public func check(_ changeset: Changeset, schema: WireSchema) throws(OutgoingError) {
        var run = Run(version: version, schema: schema)
        for (position, instruction) in changeset.instructions.enumerated() {
            run.position = position
            try run.check(instruction)
        }
    }

    private struct Run {
        let version: Int
        var schema: WireSchema
        var position = 0
        /// The objects that the changeset creates, and the last of them.
        private var created: Set<WireObject> = []
        private var last: WireObject?

        init(version: Int, schema: WireSchema) {
            self.version = version
            self.schema = schema
        }

        func require(_ condition: Bool, _ reason: String) throws(OutgoingError) {
            if !condition { throw OutgoingError(reason, position: position) }
        }

        mutating func check(_ instruction: Instruction) throws(OutgoingError) {
            switch instruction {
            case .eraseTable, .eraseColumn: try require(false, "Classes and fields can't be erased")
            case .addTable(let spec):
                try require(
                    !spec.name.isEmpty && spec.name.count <= ChangesetValidator.greatestTableName,
                    "The name of a class is empty or too long"
                )
                if let key = spec.primaryKey { try check(field: key.field) }
                try add { schema throws(ApplyError) in try schema.add(spec) }
            case .addColumn(let column):
                try check(field: column.field)
                try add { schema throws(ApplyError) in try schema.add(column) }
            case .createObject(let object):
                try require(
                    schema[object.table]?.spec.kind != .asymmetric,
                    "Asymmetric objects can't be sent to clients"
                )
                try check(object)
                created.insert(object)
                last = object
            case .eraseObject(let object):
                try check(object)
                created.remove(object)
            case .update(let path, let value, _): try update(path, value)
            case .addInteger(let path, _): try check(path)
            case .arrayInsert(let path, let value, _):
                try check(path)
                try check(value)
                try checkCollection(value, at: path)
            case .arrayMove(let path, let target, _):
                try check(path)
                try require(path.lastIndex != target, "An element can't be moved to its own place")
                try require(
                    !mayContainParts(path),
                    "Elements of lists that contain objects or collections can't be moved"
                )
            case .arrayErase(let path, _): try check(path)
            case .clear(let path, let kind):
                try check(path)
                try require(kind != .single, "A cleared value has to be a collection")
                try require(
                    version >= 13 || column(of: path)?.kind != .mixed
                        || (path.elements.isEmpty && column(of: path)?.collection != .single),
                    noNesting
                )
            case .setInsert(let path, let value), .setErase(let path, let value):
                try check(path)
                try check(value)
            }
        }

        private var noNesting: String { "This version of the protocol has no collections in mixed values" }

        private mutating func add(_ body: (inout WireSchema) throws(ApplyError) -> Void) throws(OutgoingError) {
            do throws(ApplyError) { try body(&schema) } catch { throw OutgoingError(error.reason, position: position) }
        }

        // MARK: Names, keys, places

        private func check(field: WireText) throws(OutgoingError) {
            try require(
                !field.isEmpty && field.count <= ChangesetValidator.greatestFieldName,
                "The name of a field is empty or too long"
            )
        }

        private func check(_ object: WireObject) throws(OutgoingError) {
            try require(
                schema[object.table]?.spec.kind == .topLevel || schema[object.table]?.spec.kind == .asymmetric,
                "The class of an object is missing"
            )
            if case .string(let text) = object.key {
                try require(
                    text.count <= WireLimits.usual.string && text.isValid,
                    "The key of an object is too long or invalid"
                )
            }
        }

        private func check(_ path: WirePath) throws(OutgoingError) {
            try check(path.object)
            try require(column(of: path) != nil, "The field of a path is missing")
            try require(path.elements.count <= ChangesetValidator.greatestDepth, "A value is nested too deep")
        }

        private func column(of path: WirePath) -> ColumnSpec? { schema[path.object.table]?[path.field] }

        /// Returns a Boolean value that indicates whether a list can contain embedded objects or collections.
        private func mayContainParts(_ path: WirePath) -> Bool {
            guard let column = column(of: path) else { return true }
            return column.kind == .mixed || path.elements.count > 1 || schema.isEmbedded(column)
        }

        // MARK: Values

        private mutating func update(_ path: WirePath, _ value: Payload) throws(OutgoingError) {
            try check(path)
            try check(value)
            try checkCollection(value, at: path)
            guard value == .list || value == .dictionary, created.contains(path.object) else { return }
            // The client corrupts its memory if another object is created before a collection in a mixed value.
            try require(
                last == path.object,
                "The collection of a new object has to follow its creation before another one"
            )
        }

        private func checkCollection(_ value: Payload, at path: WirePath) throws(OutgoingError) {
            guard value == .list || value == .dictionary else { return }
            try require(version >= 13, noNesting)
        }

        private func check(_ value: Payload) throws(OutgoingError) {
            switch value {
            case .string(let text):
                try require(text.count <= WireLimits.usual.string && text.isValid, "A string is too long or invalid")
            case .data(let bytes): try require(bytes.count <= WireLimits.usual.data, "Data is too long")
            case .date(let date): try require(date.isValid, "A date is invalid")
            case .link(let object): try check(object)
            default: return
            }
        }
    }
}
