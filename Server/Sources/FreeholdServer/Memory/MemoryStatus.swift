import FreeholdBSON
import FreeholdSyncCore
import Metrics
import Synchronization

/// The memory that a node uses for its users, in bytes. Sizes are estimates.
public struct MemoryStatus: Hashable, Sendable, Codable {
    /// The sum of `kinds`.
    public var bytes = 0
    /// The maximum for one user: the setting `limits.userBytes`.
    public var userLimit = 0
    /// The maximum for all users: the setting `limits.nodeBytes`.
    public var limit = 0
    /// The bytes by kind: `messages`, `fragments`, `unsent`, `bodies` and `documents` of connections and requests,
    /// `binds`, `queries`, `uploads`, `downloads` and `pages` of sessions, and `rows`.
    public var kinds: [String: Int] = [:]
    /// The bytes of sessions, by app.
    public var apps: [String: Int] = [:]
    /// The users with the most bytes.
    public var users: [User] = []

    /// A user, and the number of bytes that the node uses for this user.
    public struct User: Hashable, Sendable, Codable {
        public var name: String
        public var bytes: Int
    }

    public init() {}
}

/// The memory of the machine at its last report.
struct MachineMemory: Sendable {
    var sessions: SessionLedger?
    var rows = 0
}

extension ServerNode {
    /// The number of users in `status`.
    private static let statusUsers = 5

    /// The present memory. The part of sessions is at most one second old.
    var memoryStatus: MemoryStatus {
        let machine = machineMemory.withLock { $0 }
        var status = MemoryStatus()
        (status.userLimit, status.limit) = (configuration.limits.userBytes, configuration.limits.nodeBytes)
        for kind in MemoryLedger.Kind.allCases { status.kinds["\(kind)"] = memory.node[kind] }
        for kind in SessionLedger.Kind.allCases { status.kinds["\(kind)"] = machine.sessions?[kind] ?? 0 }
        status.kinds["rows"] = machine.rows
        status.bytes = status.kinds.values.reduce(0, +)
        var users: [String: Int] = [:]
        for (app, bytes) in machine.sessions?.apps ?? [:] { status.apps[app.string] = bytes }
        for (user, bytes) in machine.sessions?.users ?? [:] { users[user.string] = bytes }
        for (user, bytes) in memory.bytesOfUsers { users[user.string, default: 0] += bytes }
        let largest = users.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(Self.statusUsers)
        status.users = largest.map { MemoryStatus.User(name: $0.key, bytes: $0.value) }
        return status
    }

    /// Records the memory of the machine, for `status` and the metrics. It is called on the node's loop.
    func noteMemory(_ machine: ServerMachine) {
        let (ledger, rows) = (machine.sessionLedger, machine.rememberedBytes)
        machineMemory.withLock { $0 = MachineMemory(sessions: ledger, rows: rows) }
        for kind in MemoryLedger.Kind.allCases { metrics.memory["\(kind)"]?.set(memory.node[kind]) }
        for kind in SessionLedger.Kind.allCases { metrics.memory["\(kind)"]?.set(ledger[kind]) }
        metrics.memory["rows"]?.set(rows)
    }
}

extension MemoryStatus {
    /// The fields of `/status`.
    var document: BSONDocument {
        func numbers(_ values: [String: Int]) -> BSONValue {
            .document(
                BSONDocument(values.sorted { $0.key < $1.key }.map { (key: $0.key, value: .int64(Int64($0.value))) })
            )
        }
        let users = self.users.map { user -> BSONValue in
            ["user": .string(user.name), "bytes": .int64(Int64(user.bytes))]
        }
        return [
            "bytes": .int64(Int64(bytes)), "limit": .int64(Int64(limit)), "userLimit": .int64(Int64(userLimit)),
            "kinds": numbers(kinds), "apps": numbers(apps), "users": .array(users),
        ]
    }
}
