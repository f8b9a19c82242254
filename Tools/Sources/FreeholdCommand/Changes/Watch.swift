import Foundation
import Freehold
import Synchronization

/// An observation of a query that writes the changes after each commit.
final class Watch: Sendable {
    let configuration: Realm.Configuration
    let object: ObjectSchema
    let schema: Schema
    let query: String?
    let arguments: [String]
    let asJSON: Bool
    let path: String
    let limit: Int?

    private struct State {
        var told = 0
        var isTimedOut = false
        var error: (any Error)?
    }

    private let state = Mutex(State())

    init(
        configuration: Realm.Configuration,
        object: ObjectSchema,
        schema: Schema,
        query: String?,
        arguments: [String],
        asJSON: Bool,
        path: String,
        limit: Int?
    ) {
        self.configuration = configuration
        self.object = object
        self.schema = schema
        self.query = query
        self.arguments = arguments
        self.asJSON = asJSON
        self.path = path
        self.limit = limit
    }

    var isTimedOut: Bool { state.withLock { $0.isTimedOut } }

    /// Runs until the number of changes is reached, the timeout has passed, or a signal is received.
    ///
    /// - Returns: The number of reported changes.
    func run(timeout: Duration?) throws -> Int {
        let done = DispatchSemaphore(value: 0)
        let task = Task.detached { [self] in
            do { try await follow() } catch is CancellationError {} catch {
                state.withLock { $0.error = error }
            }
            done.signal()
        }
        let clock = timeout.map { timeout in
            Task.detached { [self] in
                try await Task.sleep(for: timeout)
                state.withLock { $0.isTimedOut = true }
                task.cancel()
            }
        }
        Signals.onEnd { task.cancel() }
        done.wait()
        clock?.cancel()
        if let error = state.withLock({ $0.error }) { throw error }
        return state.withLock { $0.told }
    }

    private func follow() async throws {
        let (className, query, arguments) = (object.className, query, arguments)
        let changes = try await Realm.changes(configuration, keyPaths: observedPaths) { realm in
            try Selection.find(className, query, arguments: arguments, in: realm).found
        }
        let reader = ObjectReader(object)
        var previous: Results<DynamicObject>?
        for await change in changes {
            switch change {
            case .initial(let found):
                let version = found.realm?.version ?? 0
                StandardError.write("\(TerminalText.escaped(path)): watching \(className) from version \(version)\n")
                previous = found
            case .update(let found, let deletions, let insertions, let modifications):
                guard let old = previous else { continue }
                let pairs = zip(modifications, change.newModifications)
                let isOver = try tell(
                    reader,
                    from: old,
                    to: found,
                    deletions: deletions,
                    insertions: insertions,
                    modifications: Array(pairs)
                )
                previous = found
                if isOver { return }
            case .error(let error): throw error
            }
        }
    }

    /// The properties of the objects and of their embedded objects, but not of linked objects.
    private var observedPaths: [String] {
        var paths: [String] = []
        func add(_ object: ObjectSchema, _ prefix: String, owners: [String]) {
            for property in object.properties {
                let path = prefix + property.name
                paths.append(path)
                guard property.type == .object, let target = property.objectClassName.flatMap({ schema[$0] }),
                    target.isEmbedded, !owners.contains(target.className)
                else { continue }
                add(target, path + ".", owners: owners + [target.className])
            }
        }
        add(object, "", owners: [object.className])
        return paths
    }

    // MARK: Reports

    /// - Returns: A Boolean value that indicates whether the number of changes is reached.
    private func tell(
        _ reader: ObjectReader,
        from old: Results<DynamicObject>,
        to new: Results<DynamicObject>,
        deletions: [Int],
        insertions: [Int],
        modifications: [(old: Int, new: Int)]
    ) throws -> Bool {
        var changes = try moved(reader, from: old, to: new, deletions: deletions, insertions: insertions)
        for (i, j) in modifications {
            let (before, after) = (try reader.cells(of: old[i]), try reader.cells(of: new[j]))
            if let change = try ObjectChange(reader, new[j], before: before, after: after, position: j) {
                changes.append(change)
            }
        }
        let version = new.realm?.version ?? 0
        for change in changes {
            try StandardOutput.shared.line(
                asJSON ? change.json([("version", "\(version)")]) : "\(change.text)"
            )
            let told = state.withLock { state in
                state.told += 1
                return state.told
            }
            if told == limit { break }
        }
        try StandardOutput.shared.flush()
        return state.withLock { $0.told } == limit
    }

    /// Returns the inserted and deleted objects. An object whose position in an order has changed is both, and is
    /// reported as modified.
    private func moved(
        _ reader: ObjectReader,
        from old: Results<DynamicObject>,
        to new: Results<DynamicObject>,
        deletions: [Int],
        insertions: [Int]
    ) throws -> [ObjectChange] {
        var gone: [String: Int] = [:]
        var changes: [ObjectChange] = []
        for i in deletions {
            if let key = try reader.key(of: old[i]), !insertions.isEmpty { gone[key.json] = i }
        }
        var inserted: [ObjectChange] = []
        var kept: Set<Int> = []
        for j in insertions {
            if let key = try reader.key(of: new[j]), let i = gone[key.json] {
                kept.insert(i)
                let (before, after) = (try reader.cells(of: old[i]), try reader.cells(of: new[j]))
                if let change = try ObjectChange(reader, new[j], before: before, after: after, position: j) {
                    inserted.append(change)
                }
            } else {
                inserted.append(try ObjectChange(.insert, reader, object: new[j]))
            }
        }
        for i in deletions where !kept.contains(i) { changes.append(try ObjectChange(.delete, reader, object: old[i])) }
        return changes + inserted
    }
}
