import Foundation
import FreeholdSync
import RealmSwift

/// The client of `SessionLifeOverSocketTests`. It repeatedly logs in, opens its file, writes, uploads, closes the file
/// and logs out.
///
/// Arguments: the server's address, a folder, the number of rounds, `life`. A line `M 1234` is the anonymous memory
/// after a round, in KiB.
@MainActor enum Life {
    static func run(_ arguments: [String]) async throws {
        var settings = AppConfiguration(baseURL: arguments[1])
        settings.rootDirectory = URL(fileURLWithPath: arguments[2], isDirectory: true)
        let app = App(id: "history", configuration: settings)
        for round in 0..<Int(arguments[3])! {
            let user = try await logIn(app, "life@example.org")
            do {
                var configuration = user.flexibleSyncConfiguration()
                configuration.objectTypes = [Mark.self, Board.self]
                let realm = try await insist {
                    try await Realm(configuration: configuration, downloadBeforeOpen: .never)
                }
                if realm.subscriptions.count == 0 {
                    try await insist {
                        try await realm.subscriptions.update { realm.subscriptions.append(QuerySubscription<Mark>()) }
                    }
                }
                try realm.write { realm.create(Mark.self, value: ["_id": "mark", "number": round], update: .all) }
                try await insist { try await realm.syncSession?.wait(for: .upload) }
            }
            try await user.logOut()
            Worker.say("M \(anonymousKiB)")
        }
    }

    private static var anonymousKiB: Int {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
    }
}
