import Foundation
import FreeholdServer
import FreeholdStudio
import FreeholdStudioServer
import Synchronization

/// The session of a page that shows a server. It forwards the requests of the page to the administrator's port. A session of documents answers the
/// requests of the screen with the data, and sends its own requests to the port.
final class ServerSession: StudioPageSession, Sendable {
    private struct State {
        var tasks: [UInt64: Task<Void, Never>] = [:]
        var last: UInt64 = 0
        var isClosed = false
    }

    private let options: ServerHost.Options
    private let send: @Sendable ([UInt8]) -> Void
    private let state = Mutex(State())
    private let documents: DocumentSession

    init(_ options: ServerHost.Options, _ memory: DocumentMemory, _ send: @escaping @Sendable ([UInt8]) -> Void) {
        (self.options, self.send) = (options, send)
        documents = DocumentSession(
            isWritable: options.isWritable,
            memory: memory,
            send: { send($0.bytes) },
            ask: { try await Self.result(of: $0, options) }
        )
    }

    func receive(_ bytes: [UInt8], done: @escaping @Sendable () -> Void) {
        let number = state.withLock { state -> UInt64? in
            guard !state.isClosed else { return nil }
            state.last += 1
            // The task can't end before it is in the table, because at its end it needs the lock that is held here.
            let number = state.last
            state.tasks[number] = Task {
                await answer(bytes)
                forget(number)
                done()
            }
            return number
        }
        if number == nil { done() }
    }

    private func forget(_ number: UInt64) { state.withLock { $0.tasks[number] = nil } }

    func close() {
        let tasks = state.withLock { state in
            state.isClosed = true
            defer { state.tasks = [:] }
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
    }

    private func answer(_ bytes: [UInt8]) async {
        var id = StudioJSON.null
        do {
            let message = try StudioJSON(parsing: bytes)
            if let number = message["id"]?.int, number >= 0, number < 1 << 53 { id = .number("\(number)") }
            if DocumentSession.answers(message) {
                post(["id": id, "ok": try await documents.answer(message)])
            } else if let answer = try await backups(message) {
                post(["id": id, "ok": answer])
            } else {
                post(["id": id, "ok": .raw(Array(try await Self.result(of: message, options).utf8))])
            }
        } catch {
            let error = error as? StudioError ?? StudioError(.failed, "The request failed.")
            post(["id": id, "error": error.json])
        }
    }

    /// Answers `backups` and `makeBackup`. The program handles them itself, because a backup is a copy of the server's folder.
    ///
    /// - Returns: `nil` for other requests.
    private func backups(_ message: StudioJSON) async throws -> StudioJSON? {
        guard let name = message["do"]?.text, name == "backups" || name == "makeBackup" else { return nil }
        guard let backups = options.backups else {
            throw StudioError(.invalid, "Backups are made on the machine of the server: 'freehold-server backup'.")
        }
        guard name == "makeBackup" else { return try backups.list() }
        let isDry = message["dry"]?.flag ?? false
        guard options.isWritable || isDry else { throw StudioError(.readOnly, "Studio was started without --write.") }
        return try await backups.make(isDry: isDry)
    }

    private func post(_ message: StudioJSON) {
        if !state.withLock({ $0.isClosed }) { send(message.bytes) }
    }

    /// Returns the server's answer, which is one JSON value.
    private static func result(of message: StudioJSON, _ options: ServerHost.Options) async throws -> String {
        let request = try ServerRequest(message)
        guard options.isWritable || !request.changes else {
            throw StudioError(.readOnly, "Studio was started without --write.")
        }
        let answer: (status: Int, body: String)
        do {
            let server = AdministratorServer(host: options.host, port: options.port, key: options.key)
            answer = try await server.send(
                request.method,
                request.path,
                body: request.body,
                administrator: options.administrator,
                within: options.patience + request.wait
            )
        } catch is AdministratorServer.OtherServer {
            throw otherSecret
        } catch let error as AdministratorClient.TimedOut {
            let address = ServerSettings.authority(options.host, options.port)
            let rest = request.changes ? " It may still make the change." : ""
            throw StudioError(.busy, "The server at \(address) didn't answer within \(error.seconds) s.\(rest)")
        } catch is AdministratorClient.TooLong {
            throw StudioError(.tooLarge, "The answer has more than 16 MiB. Ask for fewer objects.")
        } catch {
            throw StudioError(
                .io,
                "No server answers at \(ServerSettings.authority(options.host, options.port)). Start it with: "
                    + "freehold-server serve \(options.folder)"
            )
        }
        guard answer.status >= 300 else {
            guard (try? StudioJSON(parsing: Array(answer.body.utf8))) != nil else {
                throw StudioError(.failed, "The answer isn't that of a sync server.")
            }
            return answer.body
        }
        throw failure(answer.status, try? StudioJSON(parsing: Array(answer.body.utf8)))
    }

    private static let otherSecret = StudioError(
        .permission,
        "The server at this address has another secret than this folder."
    )

    private static func failure(_ status: Int, _ body: StudioJSON?) -> StudioError {
        let text = body?["error"]?.text
        return switch status {
        case 401: otherSecret
        case 404: StudioError(.notFound, text ?? "There is nothing here.")
        case 409, 412: StudioError(.conflict, text ?? "The server refuses this now.")
        case 413: StudioError(.tooLarge, text ?? "The request is too large.")
        case 503: StudioError(.busy, text ?? "The server can't answer this now.")
        case 400...499: StudioError(.invalid, text ?? "The server refuses the request.")
        default: StudioError(.failed, text ?? "The server can't answer this.")
        }
    }
}
