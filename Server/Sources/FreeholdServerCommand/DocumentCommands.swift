import ArgumentParser
import Foundation
import FreeholdBSON
import FreeholdServer
import NIOHTTP1

struct DocumentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "document",
        abstract: "Reads and changes a document of a running server, regardless of the rights of users.",
        discussion: """
            The changes are merged with those of devices. The server's log names the administrator. Keys are written like those of the documents' API: 5, \
            5f0000000000000000000000, or "ann" with its quotation marks.

            Examples:
              freehold-server document get /srv/freehold notes Note 5
              freehold-server document update /srv/freehold notes Note 5 '{"$set": {"text": "new"}}'
              freehold-server document insert /srv/freehold notes Note '{"_id": 6, "text": "more"}'
              freehold-server document delete /srv/freehold notes Note 6
            """,
        subcommands: [Get.self, Update.self, Insert.self, Delete.self]
    )

    struct Place: ParsableArguments {
        @Argument(help: "The server's folder, or the address of its database.") var folder: String
        @OptionGroup var store: StoreOption
        @Argument(help: "The app's id.") var app: String
        @Argument(help: "The class.") var className: String
        @Option(help: "The stream, for an app with several.") var stream: String?

        /// Sends a request about a document, and returns the answer.
        func send(
            _ method: HTTPMethod,
            key: String? = nil,
            body: String = "",
            parameters: [(name: String, value: String)] = []
        ) async throws -> String {
            var path = "/admin/v1/data/\(Self.escaped(app))/\(Self.escaped(className))"
            if let key { path += "/\(Self.escaped(key))" }
            let all = parameters + (stream.map { [("stream", $0)] } ?? [])
            if !all.isEmpty { path += "?" + all.map { "\($0.name)=\(Self.escaped($0.value))" }.joined(separator: "&") }
            let access = try await AdministratorAccess(folder, store)
            let answer = try await access.send(method, path, body: body)
            guard answer.status < 300 else {
                let error = (try? BSONDocument(extendedJSON: answer.body))?["error"]?.stringValue
                throw CommandFailure(error ?? "The server answers with the status \(answer.status).")
            }
            return answer.body
        }

        private static func escaped(_ text: String) -> String {
            text.addingPercentEncoding(withAllowedCharacters: .alphanumerics.intersection(CharacterSet(0..<128))) ?? ""
        }
    }

    struct Get: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Prints a document.")

        @OptionGroup var place: Place
        @Argument(help: "The key.") var key: String

        func run() async throws { print(try await place.send(.GET, key: key)) }
    }

    struct Update: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Changes a document with operators such as '$set' and '$unset'."
        )

        @OptionGroup var place: Place
        @Argument(help: "The key.") var key: String
        @Argument(help: "The operators, in Extended JSON.") var change: String

        func run() async throws { print(try await place.send(.PATCH, key: key, body: change)) }
    }

    struct Insert: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Inserts a document.")

        /// The handling of a document that exists.
        enum Mode: String, ExpressibleByArgument, CaseIterable {
            case insert, upsert, replace
        }

        @OptionGroup var place: Place
        @Argument(help: "The document, in Extended JSON.") var document: String
        @Option(
            help: ArgumentHelp(
                "insert refuses a document that exists, upsert changes its fields that differ, and replace also empties the fields that are missing.",
                valueName: "mode"
            )
        ) var mode = Mode.insert

        func run() async throws {
            print(try await place.send(.POST, body: document, parameters: [("mode", mode.rawValue)]))
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Deletes a document, on all devices.")

        @OptionGroup var place: Place
        @Argument(help: "The key.") var key: String

        func run() async throws { print(try await place.send(.DELETE, key: key)) }
    }
}

extension CharacterSet {
    /// Creates the set of the characters whose code points are in a range.
    fileprivate init(_ numbers: Range<UInt32>) {
        self.init(charactersIn: Unicode.Scalar(numbers.lowerBound)!...Unicode.Scalar(numbers.upperBound - 1)!)
    }
}

/// The administrator's port of a server on this machine, and the key for it.
struct AdministratorAccess {
    let host: String
    let port: Int
    let key: AdministratorKey

    /// - Parameter folder: The server's folder, or the address of its database.
    /// - Throws: `ValidationError` if the settings have no administrator's port.
    init(_ folder: String, _ store: StoreOption) async throws {
        let settings = try await SettingsReader(folder: store.local(folder)).settings()
        guard let port = settings.administratorPort else {
            throw ValidationError("The settings have no administrator's port.")
        }
        (host, self.port) = (settings.administratorHost, port)
        key = AdministratorKey(secret: try await store.secret(folder))
    }

    /// The name of the user of this machine, for the server's log.
    static var administrator: String {
        let name = NSUserName().filter { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }
        return name.isEmpty ? "unknown" : String(name.prefix(64))
    }

    /// - Throws: `CommandFailure` if no server answers, or if the server has another secret.
    func send(_ method: HTTPMethod, _ path: String, body: String) async throws -> (status: Int, body: String) {
        let answer: (status: Int, body: String)
        do {
            answer = try await AdministratorServer(host: host, port: port, key: key).send(
                method,
                path,
                body: Array(body.utf8),
                administrator: Self.administrator,
                within: 30
            )
        } catch is AdministratorServer.OtherServer {
            throw CommandFailure(
                "The server at \(ServerSettings.authority(host, port)) has another secret than this folder."
            )
        } catch let error as AdministratorClient.TimedOut {
            throw CommandFailure(
                "The server at \(ServerSettings.authority(host, port)) didn't answer within \(error.seconds) s. "
                    + "It may still do what the command asks for."
            )
        } catch is AdministratorClient.TooLong {
            throw CommandFailure("The answer has more than 16 MiB.")
        } catch {
            throw CommandFailure("No server answers at \(ServerSettings.authority(host, port)).")
        }
        return answer
    }
}
