import ArgumentParser
import Foundation
import FreeholdBSON
import FreeholdServer
import FreeholdSyncRules

struct RulesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rules",
        abstract:
            "The rights of users to read and write, as role documents of App Services. A running server applies them within a second.",
        discussion: """
            An app with rules permits only the access that they allow. An app without rules permits what its access says.

            Examples:
              freehold-server rules push /srv/freehold notes rules.json
              freehold-server rules check /srv/freehold notes --user 5f0000000000000000000000
              freehold-server rules pull /srv/freehold notes > rules.json
              freehold-server rules remove /srv/freehold notes
            """,
        subcommands: [Push.self, Pull.self, Check.self, Remove.self]
    )

    struct Push: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sets the rules from files: one document of all classes, or App Services' documents.",
            discussion: """
                Roles that don't fit the app's schema give no rights. They are listed, and nothing is pushed without --force.

                Example: freehold-server rules push /srv/freehold notes data_sources/mongodb-atlas/app/Dog/rules.json default_rule.json
                """
        )

        @Argument(help: "The server's folder, or the address of its database.") var folder: String
        @OptionGroup var store: StoreOption
        @Argument(help: "The app's id.") var app: String
        @Argument(help: "Files in Extended JSON.") var paths: [String]
        @Flag(help: "Also pushes roles that don't fit the schema.") var force = false
        @Flag(help: "Only lists what doesn't fit.") var dryRun = false

        func run() async throws {
            let store = try await self.store.accounts(folder)
            let rules = try Self.rules(paths)
            let problems = try Self.problems(of: rules, in: try await store.documents(of: app))
            problems.forEach { print($0) }
            if dryRun { return }
            guard force || problems.isEmpty else {
                throw ValidationError("Nothing was pushed: what doesn't fit needs --force.")
            }
            try await store.changeDocuments(of: app) { $0.rules = rules }
            print(
                "The app \(app) has rules for \(rules.classes.count) classes\(rules.defaultRoles == nil ? "" : ", and default roles")."
            )
        }

        // `AppDocuments` is changed in functions that aren't `async`, because the compiler of Swift 6.3 crashes in
        // optimised builds with debug information if an `async` function changes a local value of that size.
        private static func problems(of rules: RuleSet, in documents: AppDocuments) throws -> [RuleProblem] {
            var documents = documents
            documents.rules = rules
            return try documents.ruleProblems()
        }

        private static func rules(_ paths: [String]) throws -> RuleSet {
            var all = RuleSet()
            for path in paths {
                let rules: RuleSet
                do { rules = try RuleSet(extendedJSON: try SchemaFiles.text(path)) } catch let error as RuleError {
                    throw ValidationError("\(path): \(error)")
                }
                for own in rules.classes {
                    guard !all.classes.contains(where: { $0.className == own.className }) else {
                        throw ValidationError("\(path): the class '\(own.className)' has rules already.")
                    }
                    all.classes.append(own)
                }
                guard let roles = rules.defaultRoles else { continue }
                guard all.defaultRoles == nil else {
                    throw ValidationError("\(path): there are default roles already.")
                }
                all.defaultRoles = roles
            }
            return all
        }
    }

    struct Pull: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Prints the app's rules.")

        @Argument(help: "The server's folder, or the address of its database.") var folder: String
        @OptionGroup var store: StoreOption
        @Argument(help: "The app's id.") var app: String

        func run() async throws {
            guard let rules = try await store.accounts(folder).documents(of: app).rules else {
                throw ValidationError("The app \(app) has no rules.")
            }
            print(try rules.document.extendedJSON(pretty: true))
        }
    }

    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows what a user can read and write, and the reasons for refusals. It changes nothing.",
            discussion:
                "Example: freehold-server rules check /srv/freehold notes --user 5f0000000000000000000000 --class Dog"
        )

        @Argument(help: "The server's folder, or the address of its database.") var folder: String
        @OptionGroup var store: StoreOption
        @Argument(help: "The app's id.") var app: String
        @Option(help: "The user's id. It needn't be that of an account.") var user: String
        @Option(name: .customLong("class"), help: "Only this class.") var className: String?
        @Option(help: "Rules to check instead of the app's.") var rules: String?

        func run() async throws {
            let store = try await self.store.accounts(folder)
            try printReport(documents: try await store.documents(of: app), account: try await store.user(user))
        }

        /// Prints the rights of the user under the rules of the given file, or under the rules of the app if no file is
        /// given.
        private func printReport(documents: AppDocuments, account: AccountUser?) throws {
            var documents = documents
            documents.rules = try rules.map { try RuleSet(extendedJSON: try SchemaFiles.text($0)) } ?? documents.rules
            guard let set = try documents.storedRules() else { throw ValidationError("The app \(app) has no rules.") }
            var user = account.map { RuleUser($0) } ?? RuleUser(id: user)
            (user.values, user.environment) = (documents.values, documents.environment)
            // The server uses stored names, so this report does, too.
            let versions = try documents.versions()
            let schema = RuleSchema(versions.storage)
            let names = className.map { [versions.newest.classes[$0] ?? $0] } ?? schema.classNames
            guard !names.isEmpty else {
                throw ValidationError("The app \(app) has no schema: nothing can be read or written.")
            }
            for name in names { print(set.report(of: user, className: name, schema: schema)) }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes all rules. The access of the app applies then."
        )

        @Argument(help: "The server's folder, or the address of its database.") var folder: String
        @OptionGroup var store: StoreOption
        @Argument(help: "The app's id.") var app: String

        func run() async throws {
            let store = try await self.store.accounts(folder)
            try await store.changeDocuments(of: app) { $0.rules = nil }
            guard let access = try await store.apps().first(where: { $0.id == app })?.access else { return }
            print("The app \(app) has no rules. Its access is '\(access.rawValue)'.")
        }
    }
}
