import Foundation
import FreeholdHTTP
import FreeholdStudio
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import Synchronization

/// The server of Studio's page. It listens on the loopback address only.
public final class StudioServer: Sendable {
    public let key: StudioKey
    private let listener: HTTPListener
    private let sessions: OpenSessions

    private init(_ key: StudioKey, _ listener: HTTPListener, _ sessions: OpenSessions) {
        (self.key, self.listener, self.sessions) = (key, listener, sessions)
    }

    public var port: Int { listener.port }

    /// The address with which a browser opens the page.
    public var address: String { "http://127.0.0.1:\(port)/#key=\(key.text)" }

    /// The maximum number of open pages, and of requests that are answered at the same time.
    static let mostConnections = 16

    /// Opens the port.
    ///
    /// - Parameters:
    ///   - program: The program.
    ///   - port: The number of the port, or 0 for a free one.
    ///   - page: A folder with the files of the page, or `nil` for the embedded files.
    ///   - greetingTime: The maximum time until a page has sent its key.
    ///   - report: A closure that writes a line to the terminal.
    ///   - pages: A closure that is called with the number of open pages after each change.
    /// - Throws: The error of the system if the port can't be opened.
    public static func start(
        _ program: some StudioHost,
        port: Int = 0,
        page: String? = nil,
        greetingTime: Duration = .seconds(2),
        report: @escaping @Sendable (String) -> Void = { _ in },
        pages: @escaping @Sendable (Int) -> Void = { _ in }
    ) async throws -> StudioServer {
        let key = StudioKey()
        let attempts = KeyAttempts { report("A page or program of this machine has sent three wrong keys.") }
        let sessions = OpenSessions(most: mostConnections, changed: pages)
        var application = HTTPApplication(groups: [
            uploads(program), StudioServer.pages(PageFiles(folder: page), program),
        ])
        application.middleware = [StudioHeaders(), RequestCount(most: mostConnections)]
        application.allows = StudioAccess.allows
        application.keepsConnections = { false }
        // Connections above `mostConnections`, up to this number, receive an answer with an error.
        application.limits.connections = 8 * mostConnections
        let webSocket = HTTPWebSocket(
            path: "/socket",
            frameBytes: StudioSocket.mostBytes,
            isOpen: { StudioAccess.isOwnPage($0) },
            open: { channel in
                try channel.pipeline.syncOperations.addHandler(
                    StudioSocket(
                        channel,
                        program,
                        key: key,
                        greetingTime: TimeAmount(greetingTime),
                        attempts: attempts,
                        sessions: sessions
                    )
                )
            }
        )
        let listener = try await HTTPListener.listen(
            application,
            host: "127.0.0.1",
            port: port,
            webSocket: webSocket,
            group: MultiThreadedEventLoopGroup.singleton
        )
        return StudioServer(key, listener, sessions)
    }

    /// Closes the port and all pages. The pages receive a close frame, and have one second to answer it.
    public func close() async {
        await listener.close()
        await sessions.closeAll()
    }

    // MARK: Routes

    private static func pages(_ files: PageFiles, _ program: some StudioHost) -> HTTPGroup {
        @Sendable func file(_ path: [String]) -> HTTPAnswer {
            guard let file = files.file(path) else { return StudioAccess.missing }
            var answer = HTTPAnswer(type: file.type, bytes: file.bytes)
            if file.isImmutable { answer.headers = [("Cache-Control", "public, max-age=31536000, immutable")] }
            return answer
        }
        // The files of the page are in folders, at most two levels deep.
        let names = [["a"], ["a", "b"], ["a", "b", "c"]]
        let routes = names.map { parts in
            HTTPRoute(
                .GET,
                parts.map { "{\($0)}" }.joined(separator: "/"),
                operation: "file\(parts.count)",
                statuses: [200, 404]
            ) { request in
                file(parts.map { request[$0] })
            }
        }
        return HTTPGroup(
            root: "/",
            bodyLimit: 0,
            routes: routes + [
                HTTPRoute(.GET, "", operation: "index", statuses: [200, 404]) { _ in file([]) },
                HTTPRoute(.GET, "socket", operation: "socket", statuses: [403, 404]) { request in
                    let headers = request.head.headers
                    return headers.contains(name: "Sec-WebSocket-Key") ? StudioAccess.forbidden : StudioAccess.missing
                },
                HTTPRoute(.GET, "download/{ticket}", operation: "download", statuses: [200, 404]) { request in
                    download(program, request["ticket"])
                },
            ],
            tooLarge: StudioAccess.error(.payloadTooLarge, code: "tooLarge", text: "Requests have no body here."),
            noRoute: StudioAccess.missing,
            wrongMethod: StudioAccess.missing
        )
    }

    private static func download(_ program: some StudioHost, _ ticket: String) -> HTTPAnswer {
        guard let download = program.downloads?.takeDownload(ticket),
            let reader = DownloadReader(download.path)
        else { return StudioAccess.missing }
        var answer = HTTPAnswer(byteStream: { reader.next() }, type: download.mediaType)
        answer.headers = [
            ("Content-Disposition", "attachment; filename=\"\(download.name)\""),
            ("Content-Security-Policy", "sandbox"),
        ]
        return answer
    }

    private struct Uploader: HTTPUser {
        let user: String
    }

    private static func uploads(_ program: some StudioHost) -> HTTPGroup {
        HTTPGroup(
            root: "/upload/",
            bodyLimit: StudioTickets.mostBytes,
            routes: [
                HTTPRoute(.PUT, "{ticket}", operation: "upload", statuses: [200, 400, 404, 500], streamsBody: true) {
                    request in
                    await upload(program, request)
                }
            ],
            identify: { head in
                // A request of another page is refused before its body is read.
                StudioAccess.isOwnPage(head.headers) ? .known(Uploader(user: "page")) : .refused(StudioAccess.forbidden)
            },
            tooLarge: StudioAccess.error(.payloadTooLarge, code: "tooLarge", text: "An upload has at most 1 GiB."),
            noRoute: StudioAccess.missing,
            wrongMethod: StudioAccess.missing
        )
    }

    private static func upload(_ program: some StudioHost, _ request: HTTPRequest) async -> HTTPAnswer {
        guard let upload = program.downloads?.takeUpload(request["ticket"]), let body = request.stream else {
            return StudioAccess.missing
        }
        guard PrivateFile.create(upload.path, []), let file = FileHandle(forWritingAtPath: upload.path) else {
            upload.finish(nil)
            return StudioAccess.error(.internalServerError, code: "io", text: "The upload can't be stored.")
        }
        defer { try? file.close() }
        var bytes = 0
        do {
            for try await piece in body {
                try file.write(contentsOf: piece)
                bytes += piece.count
            }
        } catch {
            upload.finish(nil)
            unlink(upload.path)
            return StudioAccess.error(.badRequest, code: "io", text: "The upload was interrupted.")
        }
        upload.finish(bytes)
        return HTTPAnswer(type: "application/json", body: "{\"bytes\":\(bytes)}")
    }
}

/// A reader that returns the file of a download in pieces, and deletes the file.
private final class DownloadReader: Sendable {
    private let path: String
    private let handle: Mutex<FileHandle>
    private static let pieceBytes = 64 << 10

    init?(_ path: String) {
        guard let handle = FileHandle(forReadingAtPath: path) else { return nil }
        self.path = path
        self.handle = Mutex(handle)
        // The file exists until it is closed, although its name is removed.
        unlink(path)
    }

    deinit { handle.withLock { try? $0.close() } }

    func next() -> [UInt8]? {
        let data = handle.withLock { try? $0.read(upToCount: Self.pieceBytes) }
        guard let data, !data.isEmpty else { return nil }
        return Array(data)
    }
}

/// A middleware that limits the number of simultaneous requests. It answers further requests with an error.
private final class RequestCount: HTTPMiddleware, Sendable {
    private let most: Int
    private let count = Atomic(0)

    init(most: Int) { self.most = most }

    func answer(_ request: HTTPRequest, next: @Sendable (HTTPRequest) async -> HTTPAnswer) async -> HTTPAnswer {
        defer { count.subtract(1, ordering: .relaxed) }
        guard count.add(1, ordering: .relaxed).newValue <= most else {
            return StudioAccess.error(.serviceUnavailable, code: "limit", text: "Too many requests at the same time.")
        }
        return await next(request)
    }
}
