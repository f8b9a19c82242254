import FreeholdEngine

/// A cursor that creates the accessors of an iteration. If the program hasn't kept the last accessor when it requests
/// the next, the accessor is reused.
@usableFromInline final class _ObjectCursor {
    private let keys: KeySequence
    private let table: ManagedTable
    /// A reference that keeps the table alive.
    private let core: RealmCore
    /// The state version at the begin of the iteration, when all its objects existed.
    private let stamp: UInt64
    private let count: Int
    /// The value of the reference count of an object to which only `last` refers, or nil if it can't be determined.
    private let soleReference: UInt64?
    /// The properties that are collections. This isn't the array of the class, because all threads would count its
    /// references.
    private let collections: [DirectProperty]
    @exclusivity(unchecked) private var last: ObjectBase?
    /// The keys of consecutive positions, beginning at `runStart`.
    @exclusivity(unchecked) private var run = KeyRun()
    @exclusivity(unchecked) private var runStart = 0

    init(_ keys: KeySequence, _ table: ManagedTable) {
        self.keys = keys
        self.table = table
        core = table.core
        count = keys.count
        table.sync()
        stamp = table.state.pointee.version
        soleReference = table.info.canReuseAccessors ? ReferenceWord.sole : nil
        collections = table.info.hasLists ? table.info.directProperties.filter { $0.storage == .collection } : []
    }

    @usableFromInline @inline(never)
    func object(at i: Int) -> ObjectBase? {
        guard i < count else { return nil }
        let key = key(at: i)
        if table.state.pointee.version != stamp { table.sync() }
        if let soleReference {
            if let last, ReferenceWord.of(last) == soleReference, last._extra == nil {
                last._place(table, key, stamp: stamp)
                if !collections.isEmpty { forgetCollections(last) }
                return last
            }
            let object = table.object(key, stamp: stamp)
            last = object
            return object
        }
        return table.object(key, stamp: stamp)
    }

    @inline(__always)
    private func key(at i: Int) -> ObjectKey {
        let offset = i &- runStart
        if offset >= 0, offset < run.count { return run[offset] }
        return nextKey(i)
    }

    @inline(never)
    private func nextKey(_ i: Int) -> ObjectKey {
        switch keys {
        case .array(let keys): run = KeyRun(keys)
        case .table(let view, let table, _): (runStart, run) = view.keyRun(at: i, in: table)
        }
        return run[i - runStart]
    }

    private func forgetCollections(_ object: ObjectBase) {
        let address = object._fieldAddress(0)
        for property in collections { property.forgetCollection(address) }
    }
}

/// The word of an object's header that counts references. It contains the strong and unowned counts, and whether a weak
/// reference was taken.
enum ReferenceWord {
    private final class Probe: Sendable {
        static let shared = Probe()
    }

    /// A holder of additional references. Code that uses it isn't optimised, because the compiler would remove them.
    private final class Holder {
        var strong: Probe?
        unowned var unowned: Probe
        weak var weak: Probe?

        init(_ probe: Probe) { unowned = probe }
    }

    @inline(__always)
    static func of(_ object: AnyObject) -> UInt64 {
        Unmanaged.passUnretained(object).toOpaque().load(fromByteOffset: MemoryLayout<UInt>.size, as: UInt64.self)
    }

    /// The value of the word with one strong reference and no other references. It is nil if the runtime uses another
    /// layout. A probe tests this: each additional reference of each kind must change the word.
    static let sole: UInt64? = probe()

    @_optimize(none)
    private static func probe() -> UInt64? {
        let fresh = word(after: { _, _ in })
        guard fresh == word(after: { _, _ in }) else { return nil }
        let others = [
            word { probe, holder in holder.strong = probe },
            word { probe, holder in holder.unowned = probe },
            word { probe, holder in holder.weak = probe },
        ]
        return others.contains(fresh) ? nil : fresh
    }

    /// Returns the word of a new object with one reference, after a closure may have taken another.
    @inline(never) @_optimize(none)
    private static func word(after take: (Probe, Holder) -> Void) -> UInt64 {
        let owner = Unmanaged.passRetained(Probe())
        let holder = Holder(Probe.shared)
        owner._withUnsafeGuaranteedRef { take($0, holder) }
        let word = owner.toOpaque().load(fromByteOffset: MemoryLayout<UInt>.size, as: UInt64.self)
        withExtendedLifetime(holder) {}
        owner.release()
        return word
    }
}
