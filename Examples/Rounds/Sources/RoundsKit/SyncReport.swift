import Freehold
import FreeholdSync
import Synchronization

/// The result of a sync.
public final class SyncReport: Sendable {
    /// A change that the server didn't accept. The file shows the server's state again.
    public struct Refusal: Sendable, Equatable {
        public let className: String
        public let key: String
        public let reason: String
    }

    private struct State {
        var refusals: [Refusal] = []
        var problems: [String] = []
        var wasReset = false
        var uploaded = 0
        var changed: [String] = []
        var removed: [String] = []
    }

    private let state = Mutex(State())

    public var refusals: [Refusal] { state.withLock { $0.refusals } }
    /// Other messages of the server, such as a refused subscription.
    public var problems: [String] { state.withLock { $0.problems } }
    /// A Boolean value that indicates whether the server had another history, for example after the restore of a backup.
    public var wasReset: Bool { state.withLock { $0.wasReset } }
    /// The number of transactions that the server has received.
    public var uploaded: Int { state.withLock { $0.uploaded } }
    /// The codes of sites that are new or have changed.
    public var changed: [String] { state.withLock { $0.changed } }
    /// The codes of sites that are no longer on the device.
    public var removed: [String] { state.withLock { $0.removed } }

    func note(_ error: SyncError) {
        state.withLock { state in
            guard let writes = error.compensatingWriteInfo else {
                state.problems.append(error.message)
                return
            }
            for write in writes {
                let key = write.primaryKey
                let text = key.stringValue ?? key.objectIdValue?.stringValue ?? "\(key)"
                state.refusals.append(Refusal(className: write.objectType, key: text, reason: write.reason))
            }
        }
    }

    func noteReset() { state.withLock { $0.wasReset = true } }

    func finish(uploaded: Int, changed: [String], removed: [String]) {
        state.withLock { ($0.uploaded, $0.changed, $0.removed) = (uploaded, changed, removed) }
    }
}
