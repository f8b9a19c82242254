import Foundation
import Freehold
import FreeholdSyncCore
import Synchronization

/// What all sessions of an app have in common.
public final class SyncManager: Sendable {
    /// Hears of errors of sessions, on a thread of the library's.
    public typealias ErrorReportingBlock = @Sendable (any Error, SyncSession?) -> Void

    private let state: Mutex<State>

    private struct State {
        var errorHandler: ErrorReportingBlock?
        var userAgent = ""
        var authorizationHeaderName: String?
        var customRequestHeaders: [String: String]?
        var timeouts: SyncTimeoutOptions
        var files: [WeakFile] = []
    }

    /// A `SyncClient`, in programs that have the trait.
    struct ClientOfApp: Sendable { var client: (any Sendable)? }
    let clientOfApp = Mutex(ClientOfApp())

    private struct WeakFile {
        weak var file: RealmSync?
    }

    init(_ configuration: AppConfiguration) { state = Mutex(State(timeouts: configuration.syncTimeouts)) }

    /// Not called for client resets that a mode handles.
    public var errorHandler: ErrorReportingBlock? {
        get { state.withLock { $0.errorHandler } }
        set { state.withLock { $0.errorHandler = newValue } }
    }
    /// Sent with each connection.
    public var userAgent: String {
        get { state.withLock { $0.userAgent } }
        set { state.withLock { $0.userAgent = newValue } }
    }
    /// Freehold sends tokens in the connection's first message, not in a header. It is there for source compatibility.
    public var authorizationHeaderName: String? {
        get { state.withLock { $0.authorizationHeaderName } }
        set { state.withLock { $0.authorizationHeaderName = newValue } }
    }
    /// For proxies that want some. Connections that are made later have them.
    public var customRequestHeaders: [String: String]? {
        get { state.withLock { $0.customRequestHeaders } }
        set { state.withLock { $0.customRequestHeaders = newValue } }
    }
    /// Connections that are made later have them.
    public var timeoutOptions: SyncTimeoutOptions {
        get { state.withLock { $0.timeouts } }
        set { state.withLock { $0.timeouts = newValue } }
    }

    func add(_ file: RealmSync) {
        state.withLock { state in
            state.files.removeAll { $0.file == nil }
            state.files.append(WeakFile(file: file))
        }
    }

    private func files(of user: User) -> [RealmSync] {
        state.withLock { $0.files.compactMap(\.file) }.filter { $0.user == user }
    }

    /// Sessions of a user whose realms are open.
    func sessions(of user: User) -> [SyncSession] { files(of: user).compactMap(\.session) }

    func begin(_ user: User) { for file in files(of: user) { file.begin() } }

    func end(_ user: User) { for file in files(of: user) { file.end() } }
}
