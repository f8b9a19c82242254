import Foundation
import Freehold
import FreeholdEngine
import FreeholdSyncCore
import Synchronization

/// The settings and the sessions that an app has in common.
public final class SyncManager: Sendable {
    /// A closure that receives errors of sessions, on a thread of the library.
    public typealias ErrorReportingBlock = @Sendable (any Error, SyncSession?) -> Void

    private let state: Mutex<State>

    private struct State {
        var errorHandler: ErrorReportingBlock?
        var userAgent = ""
        var authorizationHeaderName: String?
        var customRequestHeaders: [String: String]?
        var timeouts: SyncTimeoutOptions
        var files: [WeakFile] = []
        /// The blocks that wait for the session of a file that is being opened, by path.
        var openings: [String: [@Sendable (SyncSession) -> Void]] = [:]
    }

    /// An error of a session. `session` is `nil` if the error occurred before the session began.
    public struct SessionFailure: Sendable {
        public let error: any Error
        public let session: SyncSession?
    }

    let jobs = JobGate()

    /// The maximum number of files that `Realm.syncOnce(configuration:deadline:)` has open at a time. Each file takes
    /// about five file descriptors and one connection, and one thread while it writes.
    public var maximumJobs: Int {
        get { jobs.limit }
        set { jobs.limit = newValue }
    }

    private let failures = Listeners<SessionFailure>()

    /// The errors that ``errorHandler`` receives, from now on. This is an addition to RealmSwift's API.
    public var errors: AsyncStream<SessionFailure> { failures.stream(keeping: 1_000) }

    func report(_ error: any Error, _ session: SyncSession?) {
        errorHandler?(error, session)
        failures.tell(SessionFailure(error: error, session: session))
    }

    /// The `SyncClient` of the app, in programs with the trait Sync.
    struct ClientOfApp: Sendable { var client: (any Sendable)? }
    let clientOfApp = Mutex(ClientOfApp())

    private struct WeakFile {
        weak var file: RealmSync?
    }

    init(_ configuration: AppConfiguration) { state = Mutex(State(timeouts: configuration.syncTimeouts)) }

    /// The closure that receives errors. It isn't called for client resets that a reset mode handles.
    public var errorHandler: ErrorReportingBlock? {
        get { state.withLock { $0.errorHandler } }
        set { state.withLock { $0.errorHandler = newValue } }
    }
    /// The name of the program, which is sent at the start of each connection.
    public var userAgent: String {
        get { state.withLock { $0.userAgent } }
        set { state.withLock { $0.userAgent = newValue } }
    }
    /// A value without effect, for source compatibility. Freehold sends tokens in the first message of a connection,
    /// not in a header.
    public var authorizationHeaderName: String? {
        get { state.withLock { $0.authorizationHeaderName } }
        set { state.withLock { $0.authorizationHeaderName = newValue } }
    }
    /// Additional headers, for example for proxies. They are used by connections that are opened later.
    public var customRequestHeaders: [String: String]? {
        get { state.withLock { $0.customRequestHeaders } }
        set { state.withLock { $0.customRequestHeaders = newValue } }
    }
    /// The timeouts. They are used by connections that are opened later.
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

    /// Calls a block with the session of a file, either now or as soon as the session begins.
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

    /// Returns whether no realm of this process has the file open.
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

    /// Returns the files of a user that realms of this process have open.
    func databases(of user: User) -> [Database] { files(of: user).map(\.database) }

    /// Returns the sessions of a user's open realms.
    func sessions(of user: User) -> [SyncSession] { files(of: user).compactMap(\.session) }

    /// Begins the sessions of a user's open realms. Sessions that wait for a token receive the user's token.
    func begin(_ user: User) async { for file in files(of: user) { await file.beginAgain() } }

    func end(_ user: User) { for file in files(of: user) { file.end() } }
}
