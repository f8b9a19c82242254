import FreeholdSyncCore

/// The object that most histories are about, and its list.
let thing = ObjectName("Thing", 1)
let list = Place(thing, "list")

let (c1, c2, c3) = (FileIdent(rawValue: 1), FileIdent(rawValue: 2), FileIdent(rawValue: 3))

/// Returns a commit that saw the same version of the stream and of every object that it changes. With base 0 it saw
/// nothing.
func commit(_ number: UInt64, clock: Int64, base: StreamVersion, _ changes: Change...) -> Commit {
    let seen = base == 0 ? [:] : Dictionary(changes.map { ($0.object, base) }) { a, _ in a }
    return Commit(number: number, clock: Clock(milliseconds: clock), base: base, seen: seen, changes: changes)
}

func insert(_ values: SyncValue..., after: ElementReference?, before: ElementReference?, first: OwnNumber) -> Change {
    .insert(list, Gap(after: after, before: before), first: first, values)
}

func set(_ property: SyncString, _ value: SyncValue, _ origin: Origin = .real) -> Change {
    .set(Place(thing, property), value, origin)
}

extension Oracle {
    /// Returns a stream with one commit (version 1, clock 1 ms, by file 9) that created the thing with the list.
    init(list values: [SyncValue], _ fields: [NewField] = [], rules: OracleRules = OracleRules()) throws {
        self.init()
        let fields = [NewField("list", .list(first: 1, values))] + fields
        try take(FileIdent(rawValue: 9), commit(1, clock: 1, base: 0, .create(thing, fields)), now: 1)
        self.rules = rules
    }

    /// Merges a commit at a server's time that holds no clock back.
    ///
    /// - Returns: The reasons of refused changes, by rising index.
    @discardableResult
    mutating func take(_ ident: FileIdent, _ commit: Commit, now: Int64 = 1_000_000_000) throws -> [RefusalReason] {
        try apply(commit, from: ident, serverNow: now).refusals.map(\.reason)
    }

    func values(_ name: ObjectName = thing, _ property: SyncString = "list") -> String {
        contents(of: name)?[property]?.description ?? "none"
    }
}

extension Content: CustomStringConvertible {
    public var description: String {
        switch self {
        case .value(.string(let text)): text.string
        case .value(let value): value.description
        case .list(let values): "[" + values.map(\.description).joined(separator: " ") + "]"
        case .set(let values): "{" + values.values.map(\.description).sorted().joined(separator: " ") + "}"
        case .dictionary(let entries), .embedded(let entries):
            "{" + entries.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: " ") + "}"
        }
    }
}
