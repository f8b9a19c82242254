import FreeholdBSON
import FreeholdRealmFront
import FreeholdSyncCore
import Synchronization

/// The official Realm clients that are connected, with the last reports of their sessions. Any thread may use it.
final class RealmClients: Sendable {
    struct Client: Sendable {
        let agent: String
        let app: String
        let user: String
        var sessions: [RealmSessionReport] = []
    }

    private let clients = Mutex<[ConnectionNumber: Client]>([:])

    func add(_ number: ConnectionNumber, _ client: Client) { clients.withLock { $0[number] = client } }

    func report(_ number: ConnectionNumber, _ sessions: [RealmSessionReport]) {
        clients.withLock { $0[number]?.sessions = sessions }
    }

    func remove(_ number: ConnectionNumber) { clients.withLock { $0[number] = nil } }

    /// The numbers of connected clients, by the names and versions of their SDKs.
    var agents: [String: Int] {
        clients.withLock { clients in
            clients.values.reduce(into: [:]) { counts, client in
                // Clients choose the names, so the number of kept names is limited.
                let isKnown = counts[client.agent] != nil
                counts[isKnown || counts.count < 100 ? client.agent : "other", default: 0] += 1
            }
        }
    }

    /// The clients with their sessions, up to 1,000.
    var json: String {
        let all = clients.withLock { $0.sorted { $0.key < $1.key } }.prefix(1_000)
        let list = all.map { number, client -> BSONValue in
            [
                "connection": .int64(Int64(clamping: number)), "agent": .string(client.agent),
                "app": .string(client.app), "user": .string(client.user),
                "sessions": .array(client.sessions.map(\.document)),
            ]
        }
        let document: BSONDocument = ["clients": .array(list)]
        return (try? document.extendedJSON()) ?? "{}"
    }
}

extension RealmSessionReport {
    fileprivate var document: BSONValue {
        [
            "session": .int64(Int64(clamping: session)), "file": .int64(Int64(file?.rawValue ?? 0)),
            "schemaVersion": .int64(Int64(clamping: schemaVersion)), "uploads": .int64(Int64(clamping: uploads)),
            "repairs": .int64(Int64(clamping: repairs)),
            "absoluteRepairs": .int64(Int64(clamping: absoluteRepairs)),
            "contradictions": .int64(Int64(clamping: contradictions)),
            "refusals": .int64(Int64(clamping: refusals)), "queued": .int64(Int64(queued)),
            "bytes": .int64(Int64(keptBytes)),
        ]
    }
}
