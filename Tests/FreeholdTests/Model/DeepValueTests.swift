import Foundation
import Synchronization
import Testing

@testable import Freehold

class ChainLink: Object {
    @Persisted var number = 0
    @Persisted var next: ChainLink?
    @Persisted var others: List<ChainLink>
    @Persisted var byName: Map<String, ChainLink?>
    @Persisted var any: AnyRealmValue
    @Persisted var inner: ChainPart?
}

class ChainPart: EmbeddedObject {
    @Persisted var next: ChainPart?
    @Persisted var parts: List<ChainPart>
}

/// Counts the ends of its instances.
class CountedLink: Object {
    @Persisted var next: CountedLink?
    static let ended = Mutex(0)
    deinit { Self.ended.withLock { $0 += 1 } }
}

@Suite("Deep values", .serialized)
struct DeepValueTests {
    private let depth = 100_000

    /// Runs the body on a thread whose stack is small.
    private func onSmallStack(_ body: @escaping @Sendable () -> Void) {
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            body()
            done.signal()
        }
        thread.stackSize = 512 << 10
        thread.start()
        done.wait()
    }

    @Test
    func `a long chain of unmanaged objects is released`() {
        let depth = depth
        onSmallStack {
            for link in [
                { $0.next = $1 }, { $0.others.append($1) }, { $0.byName["a"] = $1 }, { $0.any = .object($1) },
                { $0.any = .fromArray([.fromDictionary(["a": .object($1)])]) },
            ] as [(ChainLink, ChainLink) -> Void] {
                var head = ChainLink()
                for _ in 0..<depth {
                    let new = ChainLink()
                    link(new, head)
                    head = new
                }
                let last = ChainLink()
                var end = last
                for _ in 0..<depth {
                    let new = ChainLink()
                    link(end, new)
                    end = new
                }
            }
            var part = ChainPart()
            for i in 0..<depth {
                let new = ChainPart()
                if i % 2 == 0 { new.next = part } else { new.parts.append(part) }
                part = new
            }
            let owner = ChainLink()
            owner.inner = part
        }
    }

    @Test
    func `every object of a chain is deinitialised once, before the release of the first one returns`() {
        let depth = depth
        // The library creates one instance of its own.
        _ = CountedLink(value: [:] as [String: Any])
        CountedLink.ended.withLock { $0 = 0 }
        onSmallStack {
            var first: CountedLink? = CountedLink()
            var last = first!
            for _ in 1..<depth {
                let new = CountedLink(value: [:] as [String: Any])
                last.next = new
                last = new
            }
            first = nil
            expectEqual(CountedLink.ended.withLock { $0 }, depth - 1)
            withExtendedLifetime(last) {}
        }
        expectEqual(CountedLink.ended.withLock { $0 }, depth)
    }

    @Test
    func `a chain is added to a realm, and released with it`() throws {
        let realm = try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString,
                objectTypes: [ChainLink.self, ChainPart.self]
            )
        )
        try realm.write {
            var head = ChainLink()
            for i in 1..<5_000 {
                let new = ChainLink()
                new.number = i
                new.next = head
                head = new
            }
            realm.add(head)
        }
        expectEqual(realm.objects(ChainLink.self).count, 5_000)
    }

    /// Dictionaries or arrays in one another. They are never freed, which Swift does recursively.
    private func nested(_ depth: Int, asArrays: Bool, key: String) -> Any {
        var value: Any = asArrays ? [1] : ["number": 1]
        for _ in 0..<depth { value = asArrays ? [value] as Any : [key: value] }
        _ = Unmanaged.passRetained(Box(value))
        return value
    }

    private final class Box {
        let value: Any
        init(_ value: Any) { self.value = value }
    }

    private func error(_ body: (Realm) -> Void) throws -> Realm.Error? {
        let realm = try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString,
                objectTypes: [ChainLink.self, ChainPart.self]
            )
        )
        return #expect(throws: Realm.Error.self) { try realm.write { body(realm) } }
    }

    @Test(arguments: [true, false])
    func `values that are nested too deeply are refused`(asArrays: Bool) throws {
        let deep = nested(20_000, asArrays: asArrays, key: "next")
        expectEqual(try error { $0.create(ChainLink.self, value: ["any": deep]) }?.code, .limitExceeded)
        expectEqual(try error { $0.create(ChainLink.self, value: ["next": deep]) }?.code, .invalidValue)
        expectEqual(try error { $0.create(ChainLink.self, value: deep) }?.code, .invalidValue)
        expectEqual(try error { $0.create(ChainLink.self, value: ["inner": deep]) }?.code, .invalidValue)
        expectEqual(try error { $0.create(ChainLink.self, value: ["others": [deep]]) }?.code, .invalidValue)
        expectEqual(try error { $0.create(ChainLink.self, value: ["number": deep]) }?.code, .invalidValue)
        expectEqual(try error { $0.add(ChainLink(value: ["next": deep])) }?.code, .invalidValue)
        expectEqual(try error { $0.add(ChainLink(value: ["any": deep])) }?.code, .limitExceeded)
        expectEqual(
            try error { $0.create(ChainLink.self, value: [:] as [String: Any])["any"] = deep }?.code,
            .limitExceeded
        )
    }

    private func deepValue(_ depth: Int, _ innermost: AnyRealmValue, asArrays: Bool) -> AnyRealmValue {
        var value = innermost
        for _ in 0..<depth { value = asArrays ? .fromArray([value]) : .fromDictionary(["a": value]) }
        return value
    }

    @Test(arguments: [true, false])
    func `deep mixed values are compared, refused and released`(asArrays: Bool) throws {
        onSmallStack {
            let value = deepValue(20_000, .int(1), asArrays: asArrays)
            expect(value == deepValue(20_000, .int(1), asArrays: asArrays))
            expect(value != deepValue(20_000, .int(2), asArrays: asArrays))
            expect(value != deepValue(19_999, .int(1), asArrays: asArrays))
            let link = ChainLink()
            link.any = value
            expect("\(link)".count < 10_000)
            do {
                expectEqual(try error { $0.add(link) }?.code, .limitExceeded)
                expectEqual(try error { $0.create(ChainLink.self, value: ["any": value]) }?.code, .limitExceeded)
                expectEqual(try error { $0.create(ChainLink.self, value: link) }?.code, .limitExceeded)
                expectEqual(try error { $0.create(ChainLink.self).any = value }?.code, .limitExceeded)
            } catch {
                Issue.record(error)
            }
            let copy = ChainLink(value: link)
            expect(copy.any != .none || copy._unmanagedError != nil)
        }
    }

    @Test
    func `deep JSON is refused`() throws {
        let realm = try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString,
                objectTypes: [ChainLink.self, ChainPart.self]
            )
        )
        for name in ["next", "any"] {
            let text = String(repeating: "{\"\(name)\":", count: 20_000) + "1" + String(repeating: "}", count: 20_000)
            #expect(throws: (any Error).self) {
                try realm.write { try realm.importJSON(from: Data("[\(text)]".utf8), into: ChainLink.self) }
            }
        }
        expect(realm.isEmpty)
    }
}
