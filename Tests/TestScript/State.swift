public import FreeholdEngine

/// The content of a file of the script, from plain dictionaries or from the file.
public struct State: Equatable, Sendable {
    /// The entries by primary key.
    public var entries: [Int64: Entry] = [:]

    public init() {}

    /// The number of the last transaction.
    public var transaction: Int64 { entries[0]?.number ?? 0 }

    public mutating func apply(_ steps: [Script.Step]) {
        for step in steps {
            switch step {
            case .add(let id, let entry): entries[id] = entry
            case .set(let id, let number, let text):
                entries[id]?.number = number
                entries[id]?.text = text
            case .append(let id, let items): entries[id]?.items += items
            case .removeFirstItem(let id):
                if entries[id]?.items.isEmpty == false { entries[id]!.items.removeFirst() }
            case .delete(let id):
                entries[id] = nil
                for (other, entry) in entries {
                    if entry.next == id { entries[other]!.next = nil }
                    if entry.others.contains(id) { entries[other]!.others.removeAll { $0 == id } }
                }
            }
        }
    }

    /// Reads the whole table. The state is empty if the file has no table.
    public init(_ view: DataView) {
        guard let columns = Columns(view.schema) else { return }
        for position in 0..<view.count(columns.table) {
            let key = view.key(at: position, in: columns.table)
            func id(_ key: ObjectKey) -> Int64 { view.readInt(columns.id, key) ?? .min }
            var entry = Entry(
                number: view.readInt(columns.number, key) ?? .min,
                text: view.readString(columns.text, key) ?? "null"
            )
            entry.note = view.readString(columns.note, key)
            entry.score = view.readDouble(columns.score, key) ?? .nan
            entry.next = view.readLink(columns.next, key).map(id)
            entry.items = view.listValues(columns.items, key).map {
                if case .int(let item) = $0 { item } else { .min }
            }
            entry.others = view.listValues(columns.others, key).map {
                if case .link(let key) = $0 { id(key) } else { .min }
            }
            entries[id(key)] = entry
        }
    }

    /// Returns the differences, for a test's message.
    public func differences(from other: State) -> [String] {
        Set(entries.keys).union(other.entries.keys).sorted().compactMap { id in
            entries[id] == other.entries[id]
                ? nil
                : "\(id): \(entries[id].map { "\($0)" } ?? "none") / \(other.entries[id].map { "\($0)" } ?? "none")"
        }
    }
}

/// The columns of the script's table in a file.
struct Columns {
    let table: Table
    let id, number, text, note, score, next, items, others: Column

    init?(_ schema: DatabaseSchema) {
        guard let table = schema.table(named: Script.tableName) else { return nil }
        self.table = table
        let columns = table.columns
        func column(_ name: String) -> Column { columns.first { $0.name == name }! }
        (id, number, text, note) = (column("id"), column("number"), column("text"), column("note"))
        (score, next, items, others) = (column("score"), column("next"), column("items"), column("others"))
    }
}

extension Script {
    /// Commits transactions to a file in this state, and returns the expected state.
    public func commit(
        _ transactions: ClosedRange<Int64>,
        to database: Database,
        from state: State = State()
    ) throws(EngineError) -> State {
        var state = state
        for n in transactions {
            let steps = steps(n, on: state)
            let transaction = try database.beginWrite()
            try run(steps, in: transaction)
            _ = try transaction.commit()
            state.apply(steps)
        }
        return state
    }

    /// Commits the next transaction after the one in the file, no matter which process wrote it. Returns its number.
    public func takeTurn(in database: Database) throws(EngineError) -> Int64 {
        let transaction = try database.beginWrite()
        let state = State(transaction)
        try run(steps(state.transaction + 1, on: state), in: transaction)
        _ = try transaction.commit()
        return state.transaction + 1
    }

    /// Runs transaction `n` in the engine, without committing.
    public func run(_ steps: [Step], in transaction: WriteTransaction) throws(EngineError) {
        try transaction.applySchema(Self.specs, userVersion: 1)
        let columns = Columns(transaction.schema)!
        func key(_ id: Int64) -> ObjectKey? { transaction.find(primaryKey: .int(id), in: columns.table) }
        for step in steps {
            switch step {
            case .add(let id, let entry):
                let object = try transaction.create(columns.table, primaryKey: .int(id))
                try transaction.set(columns.number, object, to: .int(entry.number))
                try transaction.set(columns.text, object, to: .string(entry.text))
                if let note = entry.note { try transaction.set(columns.note, object, to: .string(note)) }
                try transaction.set(columns.score, object, to: .double(entry.score))
                if let next = entry.next, let target = key(next) {
                    try transaction.set(columns.next, object, to: .link(target))
                }
                try transaction.listAppend(columns.items, object, values: entry.items.map { .int($0) })
                try transaction.listAppend(
                    columns.others,
                    object,
                    values: entry.others.compactMap { key($0).map { .link($0) } }
                )
            case .set(let id, let number, let text):
                guard let object = key(id) else { continue }
                try transaction.set(columns.number, object, to: .int(number))
                try transaction.set(columns.text, object, to: .string(text))
            case .append(let id, let items):
                guard let object = key(id) else { continue }
                try transaction.listAppend(columns.items, object, values: items.map { .int($0) })
            case .removeFirstItem(let id):
                guard let object = key(id), transaction.listCount(columns.items, object) > 0 else { continue }
                try transaction.listRemove(columns.items, object, at: 0)
            case .delete(let id):
                guard let object = key(id) else { continue }
                transaction.delete(columns.table, object)
            }
        }
    }
}
