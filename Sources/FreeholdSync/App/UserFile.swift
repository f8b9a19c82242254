import Dispatch
import Foundation
import Freehold
import FreeholdBSON

/// A user in the form that the file of users stores.
struct KeptUser: Hashable, Sendable {
    let id: String
    var tokens: UserTokens?
    var deviceId = ""
    var identities: [RLMUserIdentity] = []
    var profile: Document = [:]
    var customData: Document = [:]
    var isAnonymous = false
    /// A number that each log-in and each switch increases. The current user has the highest one.
    var turn = 0
}

final class KeptUserRow: Object {
    @Persisted(primaryKey: true) var id = ""
    @Persisted var access: String?
    @Persisted var refresh: String?
    @Persisted var device = ""
    /// Extended JSON. So are the next two properties.
    @Persisted var identities = ""
    @Persisted var profile = ""
    @Persisted var customData = ""
    @Persisted var isAnonymous = false
    @Persisted var turn = 0

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// The users of an app, in a file that only its owner can read. All processes share it.
final class UserFile: Sendable {
    private let configuration: Realm.Configuration
    private let folder: URL

    init(_ folder: URL, key: Data?) {
        self.folder = folder
        configuration = Realm.Configuration(
            fileURL: folder.appendingPathComponent("users.realm"),
            encryptionKey: key,
            objectTypes: [KeptUserRow.self]
        )
    }

    private func withRealm<Result: Sendable>(_ body: (Realm) throws -> Result) throws -> Result {
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let path = configuration.fileURL!.path
        let isNew = !FileManager.default.fileExists(atPath: path)
        let realm = try Realm(configuration: configuration)
        // Other users can't open the folder even before the file exists. The file has restricted permissions as well,
        // in case those of the folder are changed.
        if isNew { try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path) }
        realm.refresh()
        return try body(realm)
    }

    func users() throws -> [KeptUser] {
        try withRealm { realm in realm.objects(KeptUserRow.self).map { $0.kept } }
    }

    func user(_ id: String) throws -> KeptUser? {
        try withRealm { $0.object(ofType: KeptUserRow.self, forPrimaryKey: id)?.kept }
    }

    /// Changes a user's row. A missing row is created.
    @discardableResult
    func update(_ id: String, isCurrent: Bool = false, _ change: (inout KeptUser) -> Void) throws -> KeptUser {
        try withRealm { realm in
            try realm.write {
                let row =
                    realm.object(ofType: KeptUserRow.self, forPrimaryKey: id)
                    ?? realm.create(KeptUserRow.self, value: ["id": id])
                var user = row.kept
                change(&user)
                if isCurrent { user.turn = (realm.objects(KeptUserRow.self).max(of: \.turn) ?? 0) + 1 }
                row.take(user)
                return user
            }
        }
    }

    /// Changes a user's row, if it exists.
    @discardableResult
    func change(_ id: String, _ change: (inout KeptUser) -> Void) throws -> KeptUser? {
        try withRealm { realm in
            try realm.write {
                guard let row = realm.object(ofType: KeptUserRow.self, forPrimaryKey: id) else { return nil }
                var user = row.kept
                change(&user)
                row.take(user)
                return user
            }
        }
    }

    func remove(_ id: String) throws {
        try withRealm { realm in
            try realm.write {
                if let row = realm.object(ofType: KeptUserRow.self, forPrimaryKey: id) { realm.delete(row) }
            }
        }
    }
}

extension KeptUserRow {
    fileprivate var kept: KeptUser {
        var user = KeptUser(id: id)
        if let access, let refresh { user.tokens = UserTokens(access: access, refresh: refresh) }
        user.deviceId = device
        user.identities = ((Document(text: identities)["all"] ?? nil)?.arrayValue ?? []).compactMap { value in
            guard let fields = value?.documentValue, let type = fields["type"] ?? nil, let id = fields["id"] ?? nil
            else { return nil }
            return RLMUserIdentity(providerType: type.stringValue ?? "", identifier: id.stringValue ?? "")
        }
        user.profile = Document(text: profile)
        user.customData = Document(text: customData)
        user.isAnonymous = isAnonymous
        user.turn = turn
        return user
    }

    fileprivate func take(_ user: KeptUser) {
        (access, refresh) = (user.tokens?.access, user.tokens?.refresh)
        device = user.deviceId
        let identities = user.identities.map { identity -> AnyBSON? in
            ["type": .string(identity.providerType), "id": .string(identity.identifier)]
        }
        self.identities = (["all": .array(identities)] as Document).text
        profile = user.profile.text
        customData = user.customData.text
        isAnonymous = user.isAnonymous
        turn = user.turn
    }
}

extension Document {
    fileprivate init(text: String) {
        self = text.isEmpty ? [:] : (try? BSONDocument(extendedJSON: text)).map { Document($0) } ?? [:]
    }

    fileprivate var text: String { isEmpty ? "" : (try? bson.extendedJSON(.canonical)) ?? "" }
}
