import FreeholdEngine

/// Makes the accessors of an iteration. One that nobody has kept when the next is asked for becomes that next one.
@usableFromInline final class _ObjectCursor {
    private let keys: KeySequence
    private let table: ManagedTable
    /// Keeps the table alive.
    private let core: RealmCore
    /// The state version of the iteration's begin, at which all its objects lived.
    private let stamp: UInt64
    private let count: Int
    /// What the reference count of an object reads that only `last` refers to; nil where it can't be told.
    private let soleReference: UInt64?
    /// The properties that are collections: not the class's array, whose references all threads would count.
    private let collections: [DirectProperty]
    @exclusivity(unchecked) private var last: ObjectBase?
    /// Keys of consecutive positions from `runStart` on.
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

/// The word of an object's header that counts references: strong, unowned, and whether a weak one was taken.
enum ReferenceWord {
    private final class Probe: Sendable {
        static let shared = Probe()
    }

    /// Holds the further references. What uses it isn't optimised, because the compiler would leave them out.
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

    /// What it reads with one strong reference and no other. Nil where the runtime lays objects out differently, which
    /// is tried out: each further reference, of each kind, must show.
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

    /// The word of a new object that one reference holds, after another may have been taken.
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
