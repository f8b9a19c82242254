import Dispatch
import Foundation
import FreeholdEngine

extension Realm {
    /// Opens the realm on a thread of its own for the length of the block, at the newest version.
    ///
    /// For code that hops between threads: the block runs on one thread from beginning to end, and no thread of
    /// Swift's pool waits for it. Return values, not objects.
    ///
    /// ```swift
    /// let names = try await Realm.read { realm in realm.objects(Person.self).map(\.name).sorted() }
    /// ```
    ///
    /// - Throws: `Realm.Error`, or what the block throws.
    public static func read<R: Sendable>(
        _ configuration: Configuration = .defaultConfiguration,
        _ body: @escaping @Sendable (Realm) throws -> R
    ) async throws -> R {
        try await ConfinedQueue.readers.run {
            let realm = try Realm(configuration: configuration)
            defer { realm.invalidate() }
            // A realm that this pool thread opened before may still be alive.
            _ = try realm.core.refresh()
            return try body(realm)
        }
    }

    /// Runs the block in a write transaction on a thread of its own, and commits it; see ``write(_:)``.
    ///
    /// Waits for other writers of the file in the order of the calls, without holding a thread.
    ///
    /// ```swift
    /// let id = try await Realm.write { realm in
    ///     let person = realm.create(Person.self, value: document)
    ///     return person._id
    /// }
    /// ```
    ///
    /// - Throws: `Realm.Error`, or what the block throws; `CancellationError` where the task is cancelled while it waits.
    @discardableResult
    public static func write<R: Sendable>(
        _ configuration: Configuration = .defaultConfiguration,
        _ body: @escaping @Sendable (Realm) throws -> R
    ) async throws -> R {
        // Keeps the file open, and its schema applied, while the call waits.
        let file = try await ConfinedQueue.readers.run {
            let core = try RealmCore.open(configuration)
            try core.checkWritable()
            return core.file
        }
        let transaction = Handover(try await file.database.beginWaiting(configuration))
        return try await ConfinedQueue.writers.run {
            let transaction = transaction.take()
            let realm: Realm
            do {
                realm = try Realm(configuration: configuration)
                try realm.core.checkWritable()
            } catch {
                transaction.cancel()
                throw error
            }
            defer { realm.invalidate() }
            realm.core.adopt(transaction)
            return try realm.finish { try body(realm) }
        }
    }
}

/// Passes one value to one other thread.
final class Handover<Value>: @unchecked Sendable {
    // Sendable because the value has one owner at a time: it is put in by the thread that makes this, and taken out
    // once by the one that it is handed to; the dispatch of the taking block orders the two.
    private var value: Value?

    init(_ value: Value) { self.value = value }

    func take() -> Value {
        defer { value = nil }
        return value!
    }
}

/// Threads outside Swift's pool, which may block.
struct ConfinedQueue: Sendable {
    /// May wait for a file's writer lock while it opens one.
    static let readers = ConfinedQueue(DispatchQueue(label: "freehold.read", qos: .default, attributes: .concurrent))
    /// Blocks that hold a writer lock: of another class of service than those that wait for it, so that these can't
    /// use up the threads that those need.
    static let writers = ConfinedQueue(
        DispatchQueue(label: "freehold.write", qos: .userInitiated, attributes: .concurrent)
    )

    private let queue: DispatchQueue

    private init(_ queue: DispatchQueue) { self.queue = queue }

    func run<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try body() }) }
        }
    }
}
