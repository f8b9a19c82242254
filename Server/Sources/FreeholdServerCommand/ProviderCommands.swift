import ArgumentParser
import FreeholdServer

struct ProviderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "provider",
        abstract:
            "Log-ins with id tokens of Google, Apple or Facebook. A running server applies changes within a second.",
        discussion: """
            A provider's codes and access tokens need a hook: see 'hook'.

            Examples:
              freehold-server provider set /srv/freehold notes oauth2-google --audience 1234.apps.googleusercontent.com
              freehold-server provider set /srv/freehold notes oauth2-apple --audience org.example.notes --keys /srv/apple.json
              freehold-server provider list /srv/freehold notes
              freehold-server provider remove /srv/freehold notes oauth2-google
            """,
        subcommands: [Set.self, List.self, Remove.self]
    )

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Accepts the id tokens of a provider.",
            discussion:
                "Example: freehold-server provider set /srv/freehold notes oauth2-google --audience 1234.apps.googleusercontent.com"
        )

        @OptionGroup var place: AppArgument
        @Argument(help: "oauth2-google, oauth2-apple or oauth2-facebook.") var provider: String
        @Option(help: "A client id for which the tokens are issued. It can be repeated.") var audience: [String]
        @Option(help: "An accepted issuer, in place of the provider's own. It can be repeated.") var issuer: [String] =
            []
        @Option(help: "The provider's keys (JWKS): a file, or an https address. The default is the provider's address.")
        var keys: String?

        func run() async throws {
            let kind = try ProviderCommand.provider(provider)
            let source = keys.map { text -> ProviderSettings.Keys in
                text.contains("://") ? .address(text) : .file(FilePaths.absolute(text))
            }
            let settings = ProviderSettings(kind, keys: source, audiences: audience, issuers: issuer)
            do { try settings.check() } catch { throw ValidationError("\(error)") }
            try await place.change { $0.set(settings, in: \.providers) { $0.provider.rawValue } }
            print(settings)
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists an app's providers of id tokens.")

        @OptionGroup var place: AppArgument

        func run() async throws {
            for provider in try await place.documents().providers { print(provider) }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Refuses the id tokens of a provider from now on. Its users and their log-ins are kept."
        )

        @OptionGroup var place: AppArgument
        @Argument(help: "oauth2-google, oauth2-apple or oauth2-facebook.") var provider: String

        func run() async throws {
            let kind = try ProviderCommand.provider(provider)
            try await place.change {
                try $0.remove(from: \.providers, missing: "The app has no provider '\(kind.rawValue)'.") {
                    $0.provider == kind
                }
            }
        }
    }

    private static func provider(_ text: String) throws -> AccountProvider {
        guard let provider = AccountProvider(rawValue: text), provider.keySetAddress != nil else {
            throw ValidationError("'\(text)' has no id tokens: oauth2-google, oauth2-apple and oauth2-facebook have.")
        }
        return provider
    }
}
