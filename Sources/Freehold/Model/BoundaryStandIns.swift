// Stand-ins for what the `realm` branch provides. Delete this file when the branches are merged.
import FreeholdEngine

public struct Realm {
    let core: RealmCore
    init(core: RealmCore) { self.core = core }
}

extension Realm {
    public struct Error: Swift.Error, Sendable, CustomStringConvertible, Equatable {
        public enum Code: Sendable {
            case invalidSchema, missingValue, invalidValue, limitExceeded, primaryKeyChanged, unknownProperty, unknownClass, fail
        }
        public let code: Code
        public let message: String
        public let className: String?
        public let property: String?
        init(_ code: Code, _ message: String, className: String? = nil, property: String? = nil) {
            self.code = code
            self.message = message
            self.className = className
            self.property = property
        }
        init(_ e: EngineError, className: String? = nil, property: String? = nil) {
            self.init(.fail, e.message, className: className, property: property)
        }
        public var description: String { "\(code): \(className ?? "").\(property ?? ""): \(message)" }
    }
}

public enum StandInUpdatePolicy { case error }

final class RealmCore {
    let view: DataView
    var transaction: WriteTransaction? { nil }
    var schema: Schema { fatalError() }
    var threadToken: UInt = 0
    init(view: DataView) { self.view = view }
    var stateVersion: UInt64 = 1
    var tables: [ManagedTable] = []
    func table(for cls: ObjectBase.Type) -> ManagedTable? { tables.first { $0.info.cls == cls } }
    func table(named: String) -> ManagedTable? { tables.first { $0.table.name == named } }
    func table(id: Int) -> ManagedTable? { tables.first { $0.table.id == id } }
    func verifyThread() {}
    func requireWrite() -> WriteTransaction { fatalError() }
    func record(_ error: Realm.Error) {}
    func wasInvalidated(stamp: UInt64, _ table: Table, _ key: ObjectKey) -> Bool { false }
    func addGraph(_ object: ObjectBase) -> Bool { fatalError() }
}

@inline(never) func programmerError(_ message: String) -> Never { fatalError(message) }

public protocol RealmCollectionBase: RandomAccessCollection, LazyCollectionProtocol, CustomStringConvertible
where Element: RealmCollectionValue {
    typealias ElementType = Element
    var realm: Realm? { get }
    var isInvalidated: Bool { get }
}
public protocol RealmCollection: RealmCollectionBase, Equatable
where Index == Int, Iterator == RLMIterator<Element>, SubSequence == Slice<Self> {
    var _source: _CollectionSource? { get }
}
extension RealmCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { count }
    public func index(after i: Int) -> Int { i + 1 }
    public func index(before i: Int) -> Int { i - 1 }
}
public struct RLMIterator<Element: RealmCollectionValue>: IteratorProtocol {
    enum Elements { case keys(KeySequence, ManagedTable), values([Element]) }
    private let elements: Elements
    private var position = 0
    init(_ elements: Elements) { self.elements = elements }
    init(values: [Element]) { elements = .values(values) }
    public mutating func next() -> Element? {
        defer { position += 1 }
        switch elements {
        case .keys(let keys, let table):
            guard position < keys.count else { return nil }
            return (table.object(keys[position]) as! Element)
        case .values(let values): return position < values.count ? values[position] : nil
        }
    }
}
public struct _CollectionSource {
    enum Base { case table, list(Column, ObjectKey), backlinks(Column, ObjectKey) }
    init(_ base: Base, of table: ManagedTable, isLive: @escaping () -> Bool = { true }) {}
}
enum KeySequence {
    case array([ObjectKey])
    var count: Int { if case .array(let k) = self { k.count } else { 0 } }
    subscript(i: Int) -> ObjectKey { if case .array(let k) = self { k[i] } else { fatalError() } }
}
