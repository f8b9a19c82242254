import Foundation
import Freehold

/// The tables into which the rows of a file of accounts are copied. The raw values are the names of the tables.
package enum AccountTable: String, CaseIterable, Sendable {
    case app
    case document = "app_document"
    case user = "app_user"
    case identity
    case login
    case session
    case key = "api_key"
    case code
    case push
}

extension AccountStore {
    /// Returns all rows of one version of the file. Each row has the text of each column, in the order of the columns of the `AccountTable` in
    /// PostgreSQL. Times are microseconds since 1970.
    ///
    /// - Throws: The errors of Freehold and FreeholdBSON if the file is damaged, and `AccountError.unavailable`.
    package func rows() async throws -> [AccountTable: [[String]]] {
        try await work { realm in
            var rows: [AccountTable: [[String]]] = [:]
            func add(_ table: AccountTable, _ row: [String]) { rows[table, default: []].append(row) }
            for app in realm.objects(StoredApp.self) {
                let (anonymous, adopts) = ("\(app.allowsAnonymous)", "\(app.adoptsSchemas)")
                add(.app, [app.id, anonymous, app.emailPassword, app.access, Self.text(app.created), adopts])
                for row in try AppDocuments(app, realm).rows() {
                    add(.document, [app.id, row.kind, row.name, row.body])
                }
            }
            var apps: [String: String] = [:]
            for user in realm.objects(StoredUser.self) {
                apps[user.id] = user.app
                let states = ["\(user.isDisabled)", "\(user.hasLoggedIn)"]
                add(.user, [user.id, user.app] + states + [user.customData, Self.text(user.created)])
            }
            var codes: [String: (app: String, name: String)] = [:]
            for identity in realm.objects(StoredIdentity.self) where apps[identity.user] != nil {
                codes[identity.key] = (identity.app, identity.name)
                let place = [identity.app, identity.provider, identity.name, identity.user, identity.identifier]
                add(.identity, place + [identity.password, "\(identity.isConfirmed)", identity.profile])
            }
            var logins: [String: (user: String, expires: Date)] = [:]
            for session in realm.objects(StoredSession.self) where apps[session.user] != nil {
                let known = logins[session.login]?.expires ?? .distantPast
                logins[session.login] = (session.user, max(known, session.expires))
                let times = [Self.text(session.created), Self.text(session.expires)]
                let replaced = session.replaced.map { Self.text($0) } ?? ""
                add(.session, [session.digest, session.login, session.parent] + times + [replaced])
            }
            for (id, login) in logins {
                add(.login, [id, login.user, apps[login.user] ?? "", Self.text(login.expires)])
            }
            for key in realm.objects(StoredAPIKey.self) where apps[key.user] != nil {
                add(.key, [key.id, key.user, key.app, key.name, key.digest, "\(key.isDisabled)"])
            }
            for code in realm.objects(StoredCode.self) {
                guard let identity = codes[code.identity] else { continue }
                let place = [code.id, code.digest, identity.app, identity.name]
                add(.code, place + ["\(code.isReset)", Self.text(code.expires)])
            }
            for push in realm.objects(StoredPush.self) where logins[push.login] != nil {
                let place = [push.key, push.app, push.user, push.login]
                add(.push, place + [push.service, push.token, Self.text(push.created)])
            }
            return rows
        }
    }

    private static func text(_ date: Date) -> String { "\(Int64((date.timeIntervalSince1970 * 1_000_000).rounded()))" }
}
