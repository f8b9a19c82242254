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
    private let hasLists: Bool
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
        hasLists = table.info.hasLists
    }

    @usableFromInline @inline(never)
    func object(at i: Int) -> ObjectBase? {
        guard i < count else { return nil }
        let key = key(at: i)
        if table.state.pointee.version != stamp { table.sync() }
        if let soleReference {
            if let last, ReferenceWord.of(last) == soleReference, last._extra == nil {
                last._place(table, key, stamp: stamp)
                if hasLists { forgetLists(last) }
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

    private func forgetLists(_ object: ObjectBase) {
        let address = object._fieldAddress(0)
        for property in table.info.directProperties { property.forgetCollection(address) }
    }
}

/// The word of an object's header that counts references: strong, unowned, and whether a weak one was taken.
enum ReferenceWord {
    private final class Probe {}

    @inline(__always)
    static func of(_ object: AnyObject) -> UInt64 {
        Unmanaged.passUnretained(object).toOpaque().load(fromByteOffset: MemoryLayout<UInt>.size, as: UInt64.self)
    }

    /// What it reads with one strong reference and no other. Nil where the runtime lays objects out differently, which
    /// is tried out: each further reference, of each kind, must show.
    static let sole: UInt64? = {
        var fresh: [UInt64] = []
        var kept: [Probe] = []
        for _ in 0..<4 {
            let probe = Probe()
            kept.append(probe)
        }
        for i in kept.indices { fresh.append(word(kept, i)) }
        guard fresh.allSatisfy({ $0 == fresh[0] }) else { return nil }
        let strong = kept[0]
        guard word(kept, 0) != fresh[0] else { return nil }
        withExtendedLifetime(strong) {}
        unowned let unowned = kept[1]
        guard word(kept, 1) != fresh[0] else { return nil }
        withExtendedLifetime(unowned) {}
        weak var weak = kept[2]
        guard weak != nil, word(kept, 2) != fresh[0] else { return nil }
        return word(kept, 3) == fresh[0] ? fresh[0] : nil
    }()

    @inline(never)
    private static func word(_ objects: [Probe], _ i: Int) -> UInt64 {
        objects.withUnsafeBufferPointer {
            UnsafeRawPointer($0.baseAddress! + i).load(as: UnsafeRawPointer.self)
                .load(fromByteOffset: MemoryLayout<UInt>.size, as: UInt64.self)
        }
    }
}
