import Synchronization

/// The states that pages store for apps: widths, hidden columns and queries. They last until the program ends.
public final class DocumentMemory: Sendable {
    private static let mostBytes = 64 << 10
    private static let mostApps = 100

    private let states = Mutex<[String: StudioJSON]>([:])

    public init() {}

    /// - Throws: `StudioError` for a state of more than 64 KiB.
    func store(_ state: StudioJSON, of app: String) throws(StudioError) {
        guard state.bytes.count <= Self.mostBytes else {
            throw StudioError(.tooLarge, "The state of a page has at most 64 KiB.")
        }
        states.withLock { states in
            if states[app] != nil || states.count < Self.mostApps { states[app] = state }
        }
    }

    func state(of app: String) -> StudioJSON { states.withLock { $0[app] ?? [:] } }
}
