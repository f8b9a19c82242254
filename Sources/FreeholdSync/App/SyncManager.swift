import Foundation
import Freehold
import FreeholdEngine
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
        /// Who waits for the session of a file that is being opened.
        var openings: [String: [@Sendable (SyncSession) -> Void]] = [:]
    }

    /// An error of a session. Nil where there is none yet.
    public struct SessionFailure: Sendable {
        public let error: any Error
        public let session: SyncSession?
    }

    let jobs = JobGate()

    /// How many files `Realm.syncOnce(configuration:deadline:)` has open at a time. Each takes some five file descriptors, one connection and
    /// a thread while it writes.
    public var maximumJobs: Int {
        get { jobs.limit }
        set { jobs.limit = newValue }
    }

    private let failures = Listeners<SessionFailure>()

    /// What ``errorHandler`` hears of, from now on. Ours.
    public var errors: AsyncStream<SessionFailure> { failures.stream(keeping: 1_000) }

    func report(_ error: any Error, _ session: SyncSession?) {
        errorHandler?(error, session)
        failures.tell(SessionFailure(error: error, session: session))
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

    /// Calls a block with the session of a file, now or when it begins.
    func whenBegun(_ path: String, _ block: @escaping @Sendable (SyncSession) -> Void) {
        let session: SyncSession? = state.withLock { state in
            if let session = state.files.lazy.compactMap(\.file).first(where: { $0.path == path })?.session {
                return session
            }
            state.openings[path, default: []].append(block)
            return nil
        }
        if let session { block(session) }
    }

    /// Whether nothing of the process has a file open.
    func isClosed(_ configuration: Realm.Configuration) -> Bool {
        let path = configuration.fileURL?.standardizedFileURL.path
        return state.withLock { !$0.files.contains { $0.file?.path == path } }
    }

    func began(_ path: String, _ session: SyncSession) {
        let blocks = state.withLock { $0.openings.removeValue(forKey: path) } ?? []
        for block in blocks { block(session) }
    }

    private func files(of user: User) -> [RealmSync] {
        state.withLock { $0.files.compactMap(\.file) }.filter { $0.user == user }
    }

    /// The files of a user that realms of the process have open.
    func databases(of user: User) -> [Database] { files(of: user).map(\.database) }

    /// Sessions of a user whose realms are open.
    func sessions(of user: User) -> [SyncSession] { files(of: user).compactMap(\.session) }

    /// Begins the sessions of a user whose realms are open, and gives those that wait for a token the user's.
    func begin(_ user: User) async { for file in files(of: user) { await file.beginAgain() } }

    func end(_ user: User) { for file in files(of: user) { file.end() } }
}
