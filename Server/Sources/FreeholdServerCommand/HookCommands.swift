import ArgumentParser
import Foundation
import FreeholdServer

struct HookCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hook",
        abstract:
            "HTTP addresses of yours that answer requests of an app's users. A running server applies changes within a second.",
        discussion: """
            The purpose is function/NAME, function/* (all other functions), service/NAME, confirm, reset, custom-function, \
            oauth2-google, oauth2-facebook or oauth2-apple.

            Examples:
              freehold-server hook set /srv/freehold notes function/sum https://example.org/sum --secret-file /srv/hook.secret
              freehold-server hook set /srv/freehold notes custom-function http://127.0.0.1:8080/login --secret-file /srv/hook.secret
              freehold-server hook list /srv/freehold notes
              freehold-server hook remove /srv/freehold notes function/sum
            """,
        subcommands: [Set.self, List.self, Remove.self]
    )

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sends the requests of one purpose to an address.",
            discussion: """
                The server sends a signed POST, follows no redirection, and passes an answer of up to 1 MiB on.

                Example: freehold-server hook set /srv/freehold notes 'function/*' https://example.org/call --secret-file /srv/hook.secret
                """
        )

        @OptionGroup var place: AppArgument
        @Argument(help: "The purpose, such as function/NAME.") var purpose: String
        @Argument(help: "The address: https://…, or http:// for this machine.") var address: String
        @Option(help: "A file with the secrets that sign, one a line, the newest first.") var secretFile: String
        @Option(help: "A file with further headers, one a line, such as Authorization.") var headerFile: String?
        @Option(help: "A file in PEM with the certificates that the receiver's certificate is checked against.")
        var certificates: String?
        @Option(help: "The number of seconds that a call may take.") var timeout = 30

        func run() async throws {
            let target = SinkSettings.HookTarget(
                address: address,
                secretFile: FilePaths.absolute(secretFile),
                headerFile: headerFile.map(FilePaths.absolute),
                certificates: certificates.map(FilePaths.absolute),
                timeout: timeout
            )
            let hook = HookSettings(purpose: try HookCommand.purpose(purpose), target: target)
            do { try hook.check() } catch { throw ValidationError("\(error)") }
            guard FileManager.default.isReadableFile(atPath: target.secretFile ?? "") else {
                throw ValidationError("The file \(target.secretFile ?? "") can't be read.")
            }
            try await place.change { $0.set(hook, in: \.hooks) { "\($0.purpose)" } }
            print(hook)
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists an app's hooks.")

        @OptionGroup var place: AppArgument

        func run() async throws {
            for hook in try await place.documents().hooks { print(hook) }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes a hook. Its requests are refused from now on."
        )

        @OptionGroup var place: AppArgument
        @Argument(help: "The purpose, such as function/NAME.") var purpose: String

        func run() async throws {
            let purpose = try HookCommand.purpose(purpose)
            try await place.change {
                try $0.remove(from: \.hooks, missing: "The app has no hook '\(purpose)'.") { $0.purpose == purpose }
            }
        }
    }

    private static func purpose(_ text: String) throws -> HookPurpose {
        guard let purpose = HookPurpose(text) else {
            throw ValidationError(
                "'\(text)' isn't the purpose of a hook: function/NAME, function/*, service/NAME, confirm, reset, custom-function, "
                    + "oauth2-google, oauth2-facebook or oauth2-apple."
            )
        }
        return purpose
    }
}
