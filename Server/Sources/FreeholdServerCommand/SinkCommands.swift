import ArgumentParser
import Foundation
import FreeholdServer

struct SinkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sink",
        abstract:
            "Where objects of asymmetric classes are handed on: files, or an HTTP address. A server that runs follows within a second.",
        discussion: """
            Without a sink, objects of an asymmetric class are kept in the class's table.

            Examples:
              freehold-server sink set /srv/freehold notes Reading --files /srv/readings
              freehold-server sink set /srv/freehold notes Reading --hook https://example.org/readings --secret-file /srv/hook.secret
              freehold-server sink list /srv/freehold notes
              freehold-server sink remove /srv/freehold notes Reading
            """,
        subcommands: [Set.self, List.self, Remove.self]
    )

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delivers a class's objects from now on, the stored ones first.",
            discussion: """
                A class that had a sink goes on where that one was. The server must be able to write the folder, and to read the files that are named.

                Example: freehold-server sink set /srv/freehold notes Reading --files /srv/readings --remove-delivered
                """
        )

        @Argument(help: "The server's folder.") var folder: String
        @Argument(help: "The app's id.") var app: String
        @Argument(help: "The asymmetric class.") var className: String
        @Option(help: "A folder for files of JSON lines; the server makes it.") var files: String?
        @Option(help: "After how many MiB a file is followed by another.") var fileSize = 256
        @Option(help: "An address that gets POSTs of JSON lines: https://…, or http:// to this machine.") var hook:
            String?
        @Option(help: "A file with the secrets that sign, one a line, the newest first.") var secretFile: String?
        @Option(help: "A file with further headers, one a line, such as Authorization.") var headerFile: String?
        @Option(help: "A file in PEM with the certificates that vouch for the receiver.") var certificates: String?
        @Option(help: "How many seconds a request may take.") var timeout = 60
        @Option(help: "After how many hours of failures a batch goes to the file of dead letters.") var giveUpHours = 72
        @Flag(help: "Writes each number with its type.") var canonical = false
        @Flag(help: "Removes objects from the server once they are handed on.") var removeDelivered = false
        @Option(help: "How many objects may wait before devices have to.") var mostWaiting = 1_000_000

        func validate() throws {
            guard (files == nil) != (hook == nil) else { throw ValidationError("Name --files or --hook.") }
            guard 1...1_000_000 ~= fileSize, 1...3_600 ~= timeout, 1...10_000 ~= giveUpHours, mostWaiting > 0 else {
                throw ValidationError("A size, a time or a number is out of range.")
            }
            guard hook != nil || (secretFile == nil && headerFile == nil && certificates == nil) else {
                throw ValidationError("--secret-file, --header-file and --certificates belong to --hook.")
            }
        }

        private static func absolute(_ path: String) -> String {
            let text = URL(filePath: path).standardizedFileURL.path(percentEncoded: false)
            return text.count > 1 && text.hasSuffix("/") ? String(text.dropLast()) : text
        }

        private var target: SinkSettings.Target {
            if let files { return .files(.init(folder: Self.absolute(files), fileSize: fileSize << 20)) }
            return .hook(
                .init(
                    address: hook ?? "",
                    secretFile: secretFile.map(Self.absolute),
                    headerFile: headerFile.map(Self.absolute),
                    certificates: certificates.map(Self.absolute),
                    timeout: timeout,
                    giveUp: giveUpHours * 3_600
                )
            )
        }

        func run() async throws {
            let sink = SinkSettings(
                className: className,
                target: target,
                isCanonical: canonical,
                removesDelivered: removeDelivered,
                mostWaiting: mostWaiting
            )
            do { try sink.check() } catch { throw ValidationError("\(error)") }
            let store = try AccountStore.existing(folder)
            if case .files(let target) = sink.target { try await refuseShared(target.folder, store) }
            let name = className
            try await store.changeDocuments(of: app) { documents in
                guard documents.asymmetric.contains(name) else {
                    throw ValidationError("The schema has no asymmetric class '\(name)'.")
                }
                documents.sinks.removeAll { $0.className == name }
                documents.sinks.append(sink)
                documents.sinks.sort { $0.className < $1.className }
            }
            print(sink)
        }

        /// Refuses a folder that another app uses for a class with the same name.
        private func refuseShared(_ target: String, _ store: AccountStore) async throws {
            for other in try await store.apps() where other.id != app {
                for sink in try await store.documents(of: other.id).sinks where sink.className == className {
                    guard case .files(let files) = sink.target, files.folder == target else { continue }
                    throw ValidationError("The app \(other.id) writes its objects of \(className) to \(target).")
                }
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows an app's sinks, one a line. How many objects wait is in the metrics: 'status --metrics'."
        )

        @Argument(help: "The server's folder.") var folder: String
        @Argument(help: "The app's id.") var app: String

        func run() async throws {
            let documents = try await AccountStore.existing(folder).documents(of: app)
            for sink in documents.sinks { print(sink) }
            let named = Swift.Set(documents.sinks.map(\.className))
            for name in documents.asymmetric.sorted() where !named.contains(name) { print("\(name)\ttable") }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Hands a class's objects on no more: they are kept in the class's table."
        )

        @Argument(help: "The server's folder.") var folder: String
        @Argument(help: "The app's id.") var app: String
        @Argument(help: "The class.") var className: String

        func run() async throws {
            let name = className
            try await AccountStore.existing(folder).changeDocuments(of: app) { documents in
                guard documents.sinks.contains(where: { $0.className == name }) else {
                    throw ValidationError("The class '\(name)' has no sink.")
                }
                documents.sinks.removeAll { $0.className == name }
            }
            print("Objects of \(name) are kept in their table.")
        }
    }
}
