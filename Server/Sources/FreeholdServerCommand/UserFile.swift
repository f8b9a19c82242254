import FreeholdBSON
import FreeholdServer

/// A file with users: Extended JSON as an array or as lines, or BSON.
enum UserFile {
    /// The result of the import of a file.
    struct Outcome: Sendable {
        var report = UserImportReport()
        /// The number of documents.
        var documents = 0
        /// Descriptions of the documents that aren't users, one line for each.
        var misfits: [String] = []
        var misfitCount = 0
        /// The number of users with only anonymous identities. They can't be imported by any means, so they don't count as misfits.
        var anonymousCount = 0
    }

    /// The maximum number of users in memory.
    private static let part = 1_000

    /// Imports the users of a file, part by part. An import that was interrupted can be repeated.
    ///
    /// - Parameter customData: A closure that returns the custom data of a user whose document doesn't contain it.
    static func load(
        _ path: String,
        into store: any AccountStorage,
        app: String,
        isDry: Bool,
        customData: (String) throws -> String? = { _ in nil }
    ) async throws -> Outcome {
        var (outcome, users): (Outcome, [ImportedUser]) = (Outcome(), [])
        var reader = try DocumentStreamReader(file: path)
        func write() async throws {
            let report = try await store.importUsers(users, app: app, isDry: isDry)
            outcome.report.add(report)
            users = []
        }
        while let document = try reader.next() {
            outcome.documents += 1
            do {
                var user = try ImportedUser(document)
                if user.customData == nil { user.customData = try customData(user.id) }
                users.append(user)
            } catch let misfit as ImportedUser.Misfit where misfit.isAnonymous {
                outcome.anonymousCount += 1
            } catch let misfit as ImportedUser.Misfit {
                outcome.misfitCount += 1
                if outcome.misfits.count < 100 { outcome.misfits.append("document \(outcome.documents): \(misfit)") }
            }
            if users.count >= part { try await write() }
        }
        try await write()
        return outcome
    }
}

extension UserFile.Outcome {
    /// The lines that a command prints.
    func lines(isDry: Bool) -> [String] {
        let verb = isDry ? "would be " : ""
        var lines = [
            "\(documents) users: \(report.created) \(verb)created, \(report.changed) \(verb)changed, "
                + "\(report.unchanged) as they were, \(misfitCount) left out."
        ]
        if report.withoutPassword > 0 {
            lines.append("  \(report.withoutPassword) log-ins by email have no password: their users have to reset it.")
        }
        if anonymousCount > 0 {
            lines.append(
                "  \(anonymousCount) anonymous users can't be imported: their devices have no proof for another server."
            )
        }
        let parts = misfits + report.refusals
        lines += parts.prefix(20).map { "  \($0)" }
        let rest = misfitCount + report.refusalCount - min(parts.count, 20)
        if rest > 0 { lines.append("  … and \(rest) more") }
        return lines
    }
}
