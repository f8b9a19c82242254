import ArgumentParser
import Foundation
import FreeholdServer

struct SinkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sink",
        abstract:
            "The destinations of asymmetric classes' objects: files, or an HTTP address. A running server applies changes within a second.",
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
            abstract: "Delivers a class's objects, beginning with the existing ones.",
            discussion: """
                If the class has a sink, the new one continues at its position. The server must be able to write to the folder, and to read the named files.

                Example: freehold-server sink set /srv/freehold notes Reading --files /srv/readings --remove-delivered
                """
        )

        @OptionGroup var place: AppArgument
        @Argument(help: "The asymmetric class.") var className: String
        @Option(help: "A folder for files of JSON lines. The server creates it.") var files: String?
        @Option(help: "The size of a complete file, in MiB.") var fileSize = 256
        @Option(help: "An address that receives POSTs of JSON lines: https://…, or http:// for this machine.") var hook:
            String?
        @Option(help: "A file with the secrets that sign, one a line, the newest first.") var secretFile: String?
        @Option(help: "A file with further headers, one a line, such as Authorization.") var headerFile: String?
        @Option(help: "A file in PEM with the certificates that the receiver's certificate is checked against.")
        var certificates: String?
        @Option(help: "The number of seconds that a request may take.") var timeout = 60
        @Option(
            help: "The number of hours of failures after which a batch is written to the file of undeliverable objects."
        ) var giveUpHours = 72
        @Flag(help: "Writes each number with its type.") var canonical = false
        @Flag(help: "Removes objects from the server when they are delivered.") var removeDelivered = false
        @Option(help: "The number of waiting objects from which on uploads wait.") var mostWaiting = 1_000_000

        func validate() throws {
            guard (files == nil) != (hook == nil) else { throw ValidationError("Name --files or --hook.") }
            guard 1...1_000_000 ~= fileSize, 1...3_600 ~= timeout, 1...10_000 ~= giveUpHours, mostWaiting > 0 else {
                throw ValidationError("A size, a time or a number is out of range.")
            }
            guard hook != nil || (secretFile == nil && headerFile == nil && certificates == nil) else {
                throw ValidationError("--secret-file, --header-file and --certificates belong to --hook.")
            }
        }

        private var target: SinkSettings.Target {
            if let files { return .files(.init(folder: FilePaths.absolute(files), fileSize: fileSize << 20)) }
            return .hook(
                .init(
                    address: hook ?? "",
                    secretFile: secretFile.map(FilePaths.absolute),
                    headerFile: headerFile.map(FilePaths.absolute),
                    certificates: certificates.map(FilePaths.absolute),
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
            if case .files(let target) = sink.target { try await refuseShared(target.folder) }
            try await place.change { documents in
                guard documents.asymmetric.contains(sink.className) else {
                    throw ValidationError("The schema has no asymmetric class '\(sink.className)'.")
                }
                documents.set(sink, in: \.sinks) { $0.className }
            }
            print(sink)
        }

        /// Refuses a folder that another app uses for a class with the same name.
        private func refuseShared(_ target: String) async throws {
            let store = try await place.store.accounts(place.folder)
            for other in try await store.apps() where other.id != place.app {
                for sink in try await store.documents(of: other.id).sinks where sink.className == className {
                    guard case .files(let files) = sink.target, files.folder == target else { continue }
                    throw ValidationError("The app \(other.id) writes its objects of \(className) to \(target).")
                }
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists an app's sinks. 'status --metrics' has the numbers of waiting objects."
        )

        @OptionGroup var place: AppArgument

        func run() async throws {
            let documents = try await place.documents()
            for sink in documents.sinks { print(sink) }
            let named = Swift.Set(documents.sinks.map(\.className))
            for name in documents.asymmetric.sorted() where !named.contains(name) { print("\(name)\ttable") }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Ends the delivery of a class's objects. They are kept in the class's table."
        )

        @OptionGroup var place: AppArgument
        @Argument(help: "The class.") var className: String

        func run() async throws {
            let name = className
            try await place.change {
                try $0.remove(from: \.sinks, missing: "The class '\(name)' has no sink.") { $0.className == name }
            }
            print("Objects of \(name) are kept in their table.")
        }
    }
}
