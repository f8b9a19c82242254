import Freehold
import HTTPTypes
public import Logging
public import ServiceLifecycle
import Synchronization

/// An event of the stream of changes.
enum ItemEvent: Sendable, Equatable {
    /// The stream has begun, or events were left out. The client loads the items, and then applies the next events.
    case reload(version: UInt64)
    /// Items were created, changed and deleted by one or several commits.
    case change(ItemChange, version: UInt64)
}

/// The content of an event. It has whole items, so that an event may be applied twice. Apply `deleted` first: an item
/// can be deleted and created again.
struct ItemChange: Codable, Sendable, Equatable {
    var deleted: [String] = []
    var stored: [ItemInfo] = []
}

/// Observes the items once, and passes the changes to any number of readers.
///
/// An observation keeps a version of the file and occupies one of its reader slots. With an observation for each
/// client, a client that reads slowly would keep an old version. The feed keeps the newest version only, and its
/// readers keep plain values.
public final class ItemFeed: Service {
    /// The number of events that wait for a slow reader. If there are more, the reader gets a `reload` instead.
    static let bufferedEvents = 64
    /// The number of items in one event. A larger change, such as an import, is a `reload`.
    static let itemsInEvent = 500

    private let inventory: Inventory
    private let settings: FeedSettings
    private let logger: Logger
    private let state = Mutex(State())
    private let (starts, start) = AsyncStream<Never>.makeStream()

    private struct State {
        var readers: [ObjectIdentifier: FeedReader] = [:]
        var version: UInt64 = 0
        var isRunning = false
        var lateReaders = 0
    }

    public init(_ inventory: Inventory, settings: FeedSettings = FeedSettings(), logger: Logger) {
        self.inventory = inventory
        self.settings = settings
        self.logger = logger
    }

    /// The number of open streams.
    var readerCount: Int { state.withLock { $0.readers.count } }

    /// The number of times that a reader was too slow, and got a `reload`.
    var lateReaderCount: Int { state.withLock { $0.lateReaders } }

    public func run() async throws {
        defer { end() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.observe() }
            group.addTask { try await self.watchReaders() }
            // The observation ends when the service stops, or with an error.
            try await group.next()
            group.cancelAll()
        }
    }

    /// Waits until streams can begin.
    func waitForStart() async { for await _ in starts {} }

    private func observe() async throws {
        // The iteration itself doesn't end when the service stops, and keeps the file open.
        try await cancelWhenGracefulShutdown {
            var previous: Results<Item>?
            // A variable with the sequence would keep the version at which the sequence was made.
            let store = self.inventory.store
            for await change in try await store.changes(of: { $0.objects(Item.self).sorted(by: \.sku) }) {
                switch change {
                case .initial(let items):
                    previous = items
                    self.begin(version: items.version)
                case .update(let items, let deletions, let insertions, _):
                    let event = Self.event(
                        items,
                        previous: previous,
                        deletions: deletions,
                        stored: insertions + change.newModifications
                    )
                    previous = items
                    self.send(event)
                case .error(let error): throw error
                }
            }
        }
    }

    private static func event(
        _ items: Results<Item>,
        previous: Results<Item>?,
        deletions: [Int],
        stored: [Int]
    ) -> ItemEvent {
        guard let previous, deletions.count + stored.count <= itemsInEvent else {
            return .reload(version: items.version)
        }
        let change = ItemChange(
            deleted: deletions.map { previous[$0].sku },
            stored: stored.sorted().map { ItemInfo(items[$0]) }
        )
        return .change(change, version: items.version)
    }

    /// Sends a comment to idle streams, and closes those whose clients don't read.
    private func watchReaders() async throws {
        while true {
            try await Task.sleep(for: settings.heartbeat)
            for reader in state.withLock({ Array($0.readers.values) }) where !reader.beat(patience: settings.patience) {
                logger.notice("a client doesn't read its events, and is disconnected")
            }
        }
    }

    /// Begins a stream of events. The first event is a `reload`.
    ///
    /// - Parameter disconnect: Ends the connection of a client that doesn't read.
    /// - Throws: `Problem` if the feed doesn't run.
    func subscribe(disconnect: @escaping @Sendable () -> Void) throws -> FeedReader {
        let reader = FeedReader(limit: Self.bufferedEvents, disconnect: disconnect)
        let version = try state.withLock { state in
            guard state.isRunning else {
                throw Problem(.serviceUnavailable, "stopping", detail: "The service is starting or stopping.")
            }
            state.readers[ObjectIdentifier(reader)] = reader
            return state.version
        }
        reader.send(.reload(version: version))
        return reader
    }

    func unsubscribe(_ reader: FeedReader) {
        state.withLock { _ = $0.readers.removeValue(forKey: ObjectIdentifier(reader)) }
    }

    private func begin(version: UInt64) {
        state.withLock { state in
            state.isRunning = true
            state.version = version
        }
        start.finish()
        logger.info("the feed of items runs", metadata: ["version": "\(version)"])
    }

    private func send(_ event: ItemEvent) {
        let readers = state.withLock { state in
            switch event {
            case .reload(let version), .change(_, let version): state.version = version
            }
            return Array(state.readers.values)
        }
        let late = readers.count { $0.send(event) }
        if late > 0 { state.withLock { $0.lateReaders += late } }
    }

    private func end() {
        let readers = state.withLock { state in
            state.isRunning = false
            return Array(state.readers.values)
        }
        for reader in readers { reader.finish() }
        start.finish()
    }
}

extension Results<Item> {
    /// The version of the file that the frozen results show.
    fileprivate var version: UInt64 { realm?.version ?? 0 }
}

/// The times of a feed.
public struct FeedSettings: Sendable {
    /// The time between two looks at the streams. An idle stream gets a comment then, so that proxies keep it open.
    public var heartbeat: Duration = .seconds(15)
    /// The time after which a client that doesn't read is disconnected.
    public var patience: Duration = .seconds(60)

    public init() {}
}
