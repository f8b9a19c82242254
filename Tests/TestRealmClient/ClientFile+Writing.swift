@testable import FreeholdRealmWire

// Transactions of the app.

extension ClientFile {
    /// Creates the classes and fields of the app that the file doesn't have, in a transaction of their own.
    mutating func open(time: UInt64) throws {
        let missing = appSchema.filter { instruction in
            switch instruction {
            case .addTable(let spec): state.schema[spec.name] == nil
            case .addColumn(let column): state.schema[column.table]?[column.field] == nil
            default: false
            }
        }
        guard !missing.isEmpty else { return }
        try commit(missing, time: time)
    }

    /// Commits instructions as they are.
    mutating func commit(_ instructions: [Instruction], time: UInt64) throws {
        try write(time: time) { writer in
            for instruction in instructions { try writer.record(instruction) }
        }
    }

    /// Commits the app's changes as one transaction.
    mutating func commit(_ changes: [LocalChange], time: UInt64) throws {
        for case .create(let object) in changes { try checkSubscription(of: object.table) }
        try write(time: time) { writer in
            for change in changes { try writer.make(change) }
        }
    }

    /// Records a transaction. If the function throws, the file is unchanged.
    mutating func write(time: UInt64, _ body: (inout LocalWriter) throws -> Void) throws {
        var writer = LocalWriter(state: state, version: newest + 1)
        try body(&writer)
        let bytes = try Changeset(writer.instructions).encoded()
        newest += 1
        history.append(
            ClientCommit(
                version: newest,
                bytes: writer.instructions.isEmpty ? [] : bytes,
                changeset: try Changeset(bytes: bytes),
                remote: download.server,
                timestamp: time
            )
        )
        state = writer.state
        // Asymmetric objects are only uploaded.
        for (name, table) in state.schema.tables where table.spec.kind == .asymmetric { state.tables[name] = nil }
    }

    /// An object can only be created if the newest set of subscriptions contains its class.
    private func checkSubscription(of table: WireText) throws {
        guard state.schema[table]?.spec.kind != .asymmetric else { return }
        guard sets.last?.queries.contains(where: { WireText($0.table) == table }) == true else {
            throw LocalError("The class of a new object isn't subscribed")
        }
    }

    /// Adds a set of subscriptions.
    mutating func subscribe(to texts: [(table: String, text: String)]) {
        let snapshot = newest
        let queries = SubscriptionSet.queries(of: texts)
        sets.append(SubscriptionSet(version: (sets.last?.version ?? 0) + 1, snapshot: snapshot, queries: queries))
        note()
    }
}
