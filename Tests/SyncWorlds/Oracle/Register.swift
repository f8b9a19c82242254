import FreeholdEngine
import FreeholdSyncCore

/// The order of writes: any real write beats any default, and otherwise the later stamp wins.
struct Rank: Hashable, Comparable {
    let isReal: Bool
    let stamp: Stamp

    static func < (a: Rank, b: Rank) -> Bool {
        a.isReal == b.isReal ? a.stamp < b.stamp : !a.isReal
    }
}

/// (The author's file, the author's number): the name of a slot, of an element (that of its first slot) and of an
/// embedded object.
struct OwnID: Hashable {
    let ident: FileIdent
    let number: OwnNumber
}

/// The content of a register.
enum Stored: Hashable {
    case plain(SyncValue)
    case instance(OwnID)
}

/// A register: all writes to it, in the order of their ranks. Its value is the result of their replay.
///
/// sync-design.md, section 5: "set a field", "increment", and "mixed value with collections", where a write has a path.
struct Register: Hashable {
    enum Act: Hashable {
        case set(Stored)
        case add(Int64)
        case remove
    }

    struct Write: Hashable {
        let rank: Rank
        /// When it arrived.
        let version: StreamVersion
        /// From the register's value into dictionaries inside of it.
        var path: [SyncString] = []
        var act: Act
        /// Whether it is part of an assignment of the whole set or dictionary.
        var isAssigned = false
    }

    private(set) var writes: [Write] = []

    /// Among the writes of one rank, which belong to one commit, the last one is the latest. An add of 0 isn't a write.
    mutating func write(_ write: Write) {
        if write.act == .add(0) { return }
        let place = writes.firstIndex { $0.rank > write.rank } ?? writes.endIndex
        writes.insert(write, at: place)
    }

    /// The value, or `nil` if nothing was written or it was removed.
    ///
    /// Adds to one number count as their sum once a write concerns it, or at the end. The result of rounded numbers
    /// then doesn't depend on the merging of adds.
    var value: Stored? {
        var value: Stored?
        var sums: [[SyncString]: Int64] = [:]
        for write in writes {
            if case .add(let number) = write.act {
                sums[write.path, default: 0] &+= number
                continue
            }
            for (path, number) in sums where path.starts(with: write.path) || write.path.starts(with: path) {
                Self.add(number, path, to: &value)
                sums[path] = nil
            }
            switch (write.path.isEmpty, write.act, value) {
            case (true, .set(let new), _): value = new
            case (true, .remove, _): value = nil
            case (false, .set(.plain(let new)), .plain(let old)?):
                value = Self.replaced(old, write.path[...]) { _ in new }.map { .plain($0) }
            case (false, .remove, .plain(let old)?):
                value = Self.replaced(old, write.path[...]) { _ in nil }.map { .plain($0) }
            default: break
            }
        }
        for (path, number) in sums { Self.add(number, path, to: &value) }
        return value
    }

    private static func add(_ number: Int64, _ path: [SyncString], to value: inout Stored?) {
        guard number != 0, case .plain(let old)? = value else { return }
        value = replaced(old, path[...]) { sum($0, number) }.map { .plain($0) }
    }

    /// Only a number can be added to, in its own type. Null stays null.
    private static func sum(_ value: SyncValue?, _ number: Int64) -> SyncValue? {
        switch value {
        case .int(let old)?: .int(old &+ number)
        case .float(let old)?: .float(old + Float(number))
        case .double(let old)?: .double(old + Double(number))
        case .decimal128(let old)?: .decimal128(old + Decimal128(number))
        default: value
        }
    }

    /// A path into a value that isn't a dictionary changes nothing.
    private static func replaced(
        _ value: SyncValue?,
        _ path: ArraySlice<SyncString>,
        by change: (SyncValue?) -> SyncValue?
    ) -> SyncValue? {
        guard let key = path.first else { return change(value) }
        guard case .dictionary(var entries)? = value else { return value }
        entries[key] = replaced(entries[key], path.dropFirst(), by: change)
        return .dictionary(entries)
    }

    /// Removes the writes that fulfil the condition. A removed value leaves a removal in its place, so that no older
    /// value becomes visible.
    mutating func take(where condition: (Write) -> Bool) {
        for index in writes.indices.reversed() where condition(writes[index]) {
            if case .set = writes[index].act, writes[index].path.isEmpty {
                writes[index].act = .remove
            } else if writes[index].act != .remove || !writes[index].path.isEmpty {
                writes.remove(at: index)
            }
        }
    }

    /// Replaces two adjacent adds by one with the clock of the later add. A write between them that arrives later
    /// precedes both. Adds with the sum 0 are removed.
    mutating func mergeNeighbouringAdds() {
        for index in writes.indices.dropFirst().reversed() {
            let (first, second) = (writes[index - 1], writes[index])
            guard case .add(let a) = first.act, case .add(let b) = second.act, first.path == second.path else {
                continue
            }
            writes[index].act = .add(a &+ b)
            writes.remove(at: index - 1)
        }
        writes.removeAll { $0.act == .add(0) }
    }
}

/// A set or a dictionary: a register for each element or key.
///
/// sync-design.md, section 5: "set of values", "dictionary", and the parts of "list clear, assign" that concern them.
struct Entries<Key: Hashable>: Hashable {
    private(set) var registers: [Key: Register] = [:]
    /// The greatest rank of an assignment.
    private(set) var assigned: Rank?

    mutating func write(_ write: Register.Write, to key: Key) { registers[key, default: Register()].write(write) }

    mutating func clear(sparing hidden: Set<Key>, seen: Seen) {
        for key in registers.keys where !hidden.contains(key) {
            registers[key]?.take { seen.includes($0.version, $0.rank.stamp.ident) }
        }
    }

    /// Removes the values that its author saw, and unseen values of earlier assignments. Hidden values are kept. Its
    /// own values are removed at once if a later assignment arrived before.
    mutating func assign(
        _ values: [(key: Key, value: Stored)],
        rank: Rank,
        version: StreamVersion,
        sparing hidden: Set<Key>,
        seen: Seen
    ) {
        clear(sparing: hidden, seen: seen)
        for key in registers.keys {
            registers[key]?.take {
                let isSpared = hidden.contains(key) && seen.includes($0.version, $0.rank.stamp.ident)
                return $0.isAssigned && $0.rank < rank && !isSpared
            }
        }
        for (key, value) in values {
            write(Register.Write(rank: rank, version: version, act: .set(value), isAssigned: true), to: key)
        }
        if let assigned, assigned > rank {
            for key in registers.keys { registers[key]?.take { $0.isAssigned && $0.rank == rank } }
        }
        assigned = max(assigned ?? rank, rank)
    }

    mutating func mergeNeighbouringAdds() {
        for key in registers.keys { registers[key]?.mergeNeighbouringAdds() }
    }
}

/// The part of an object that the author of a change had seen: everything up to a version of it, and all work of its
/// own.
struct Seen: Hashable {
    /// 0 if no version of the object was confirmed to the author.
    let version: StreamVersion
    let ident: FileIdent

    func includes(_ version: StreamVersion, _ ident: FileIdent) -> Bool {
        version <= self.version || ident == self.ident
    }
}
