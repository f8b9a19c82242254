#if canImport(Combine)
    public import Combine
#endif
public import RealmSwift

/// The work that is left, as a view model: it follows the chores of a realm.
@MainActor
public final class Workload: ObservableObject {
    /// The work in one room.
    public struct Room: Equatable, Identifiable, Sendable {
        public let name: String
        public let minutes: Int
        public var id: String { name }
    }

    /// The rooms with open chores, those with the most work first.
    @Published public private(set) var rooms: [Room] = []
    /// The share of chores that are done, from 0 to 1.
    @Published public private(set) var progress = 0.0

    private var subscriptions: Set<AnyCancellable> = []

    public init(_ realm: Realm) {
        let chores = realm.objects(Chore.self)
        chores.collectionPublisher(keyPaths: ["isDone", "minutes", "room"])
            .map { Self.rooms(of: $0) }
            .replaceError(with: [])
            .removeDuplicates()
            .sink { [weak self] rooms in MainActor.assumeIsolated { self?.rooms = rooms } }
            .store(in: &subscriptions)
        chores.collectionPublisher(keyPaths: ["isDone"])
            .map { chores in chores.isEmpty ? 0 : Double(chores.where { $0.isDone }.count) / Double(chores.count) }
            .replaceError(with: 0)
            .sink { [weak self] progress in MainActor.assumeIsolated { self?.progress = progress } }
            .store(in: &subscriptions)
    }

    private nonisolated static func rooms(of chores: Results<Chore>) -> [Room] {
        let open = Dictionary(grouping: chores.where { !$0.isDone }, by: \.room)
        return open.map { name, chores in Room(name: name, minutes: chores.reduce(0) { $0 + $1.minutes }) }
            .sorted { ($1.minutes, $0.name) < ($0.minutes, $1.name) }
    }
}
