public import Foundation
import Freehold
import FreeholdSync
import Synchronization

/// The app's data on one device: a folder with the log-in and the synced file.
///
/// All methods except `logIn` and `sync` work without a network. Several processes may use one folder at the same time.
public struct Device: Sendable {
    private let app: App
    private let addressFile: URL

    /// - Parameters:
    ///   - folder: The folder of the device. It is created at the first log-in.
    ///   - address: The address of the server at the first log-in. Later uses read it from the folder.
    public init(folder: URL, address: String? = nil) throws {
        addressFile = folder.appendingPathComponent("server.txt")
        if let address {
            guard let url = URL(string: address), ["http", "https"].contains(url.scheme ?? ""), url.host != nil else {
                throw DeviceError.badAddress(address)
            }
            try FileManager.default.createDirectory(
                at: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            try Data(address.utf8).write(to: addressFile, options: .atomic)
        }
        guard let known = try? String(contentsOf: addressFile, encoding: .utf8) else { throw DeviceError.loggedOut }
        var configuration = AppConfiguration(baseURL: known)
        configuration.rootDirectory = folder
        app = App(id: "rounds", configuration: configuration)
    }

    // MARK: Log-in

    /// Logs in. The user stays the user of the device, also without a connection, until `logOut`.
    ///
    /// - Parameter registers: Creates the account first.
    public func logIn(email: String, password: String, registers: Bool) async throws {
        do {
            if registers { try await app.emailPasswordAuth.registerUser(email: email, password: password) }
            _ = try await app.login(credentials: .emailPassword(email: email, password: password))
        } catch let error as AppError {
            throw DeviceError.refusedLogIn(error.message)
        }
    }

    /// Ends the log-in. The user's file stays, with the work that isn't uploaded, and syncs after the next log-in.
    public func logOut() async throws {
        try await user().logOut()
        // Without the address, no command works before the next log-in.
        try FileManager.default.removeItem(at: addressFile)
    }

    private func user() throws -> User {
        // A user whose log-in the server has ended is still the user of the device, and can work offline.
        guard let user = app.currentUser ?? app.allUsers.values.first(where: { $0.state != .removed }) else {
            throw DeviceError.loggedOut
        }
        return user
    }

    /// The id of the user, which the author of a finding is.
    public var userID: String { get throws { try user().id } }

    // MARK: Local work

    /// Opens the file for local work. The session of the file doesn't connect.
    private func realm() throws -> Realm {
        let realm = try Realm(configuration: configuration())
        realm.syncSession?.suspend()
        return realm
    }

    private func configuration(_ report: SyncReport? = nil) throws -> Realm.Configuration {
        var configuration = try user().flexibleSyncConfiguration(
            clientResetMode: .recoverOrDiscardUnsyncedChanges(afterReset: { _, _ in report?.noteReset() })
        )
        configuration.objectTypes = [Site.self, Note.self, Finding.self]
        return configuration
    }

    /// The districts whose sites and findings are on the device.
    public func districts() throws -> [String] {
        try realm().subscriptions.compactMap { $0.name }.filter { $0.hasPrefix("sites:") }
            .map { String($0.dropFirst("sites:".count)) }.sorted()
    }

    /// Subscribes to a district. Its objects arrive with the next sync.
    public func follow(_ district: String) throws {
        let realm = try realm()
        realm.subscriptions.update {
            guard realm.subscriptions.first(named: "sites:\(district)") == nil else { return }
            realm.subscriptions.append(
                QuerySubscription<Site>(name: "sites:\(district)") { $0.district == district },
                QuerySubscription<Finding>(name: "findings:\(district)") { $0.district == district }
            )
        }
    }

    /// Removes a district from the device, and not from the server. Work that isn't uploaded stays until it is.
    public func unfollow(_ district: String) throws {
        let realm = try realm()
        realm.subscriptions.update {
            realm.subscriptions.remove(named: "sites:\(district)")
            realm.subscriptions.remove(named: "findings:\(district)")
        }
    }

    public func sites() throws -> [SiteInfo] { try realm().objects(Site.self).sorted(by: \._id).map(SiteInfo.init) }

    public func findings() throws -> [FindingInfo] {
        let user = try userID
        return try realm().objects(Finding.self).sorted(by: \._id).map { FindingInfo($0, user: user) }
    }

    /// Creates a site, which the rules of the server permit to supervisors.
    public func addSite(_ code: String, name: String, district: String) throws {
        guard try districts().contains(district) else { throw DeviceError.notFollowed(district) }
        let realm = try realm()
        try realm.write { realm.create(Site.self, value: ["_id": code, "name": name, "district": district]) }
    }

    /// Records a visit.
    public func visit(_ code: String, reading: Double? = nil, note: String? = nil, author: String) throws {
        let realm = try realm()
        try realm.write {
            let site = try realm.site(code)
            site.increment(\.visits, by: 1)
            if let reading { site.reading = reading }
            if let note { site.notes.append(Note(value: ["text": note, "author": author])) }
        }
    }

    /// Records a defect.
    ///
    /// - Returns: The key of the finding.
    public func find(_ text: String, at code: String) throws -> String {
        let (realm, user) = (try realm(), try userID)
        return try realm.write {
            let site = try realm.site(code)
            let finding = Finding()
            finding.site = code
            finding.district = site.district
            finding.author = user
            finding.text = text
            realm.add(finding)
            return finding._id.stringValue
        }
    }

    /// Closes a finding. The file shows the change at once, and the server can refuse it at the next sync.
    public func close(_ id: String) throws {
        let realm = try realm()
        try realm.write {
            guard let key = try? ObjectId(string: id),
                let finding = realm.object(ofType: Finding.self, forPrimaryKey: key)
            else { throw DeviceError.missing("finding \(id)") }
            finding.isOpen = false
        }
    }

    // MARK: Sync

    /// Uploads the work of the device, and downloads the changes of its districts.
    ///
    /// - Returns: The result. Refused work is a part of it, and no error.
    /// - Throws: `DeviceError.offline` if the server isn't reached in time. The work stays in the file.
    public func sync(within time: Duration) async throws -> SyncReport {
        let report = SyncReport()
        app.syncManager.errorHandler = { error, _ in
            if let error = error as? SyncError { report.note(error) }
        }
        let before = try sites()
        let waiting = try status().waiting
        do {
            try await Realm.syncOnce(configuration: configuration(report), deadline: .now + time)
        } catch let error as SyncOnceError {
            switch error.code {
            case .loggedOut: throw DeviceError.loggedOut
            case .deadlineExceeded, .notSynced:
                // A log-in that the server has ended doesn't pass by waiting.
                if try !user().isLoggedIn { throw DeviceError.loggedOut }
                throw DeviceError.offline(error.message)
            }
        } catch let error as SessionError {
            if try !user().isLoggedIn { throw DeviceError.loggedOut }
            throw DeviceError.refusedSync("\(error)")
        }
        let known = Dictionary(uniqueKeysWithValues: before.map { ($0.code, $0) })
        let after = try sites()
        report.finish(
            uploaded: waiting,
            changed: after.filter { known[$0.code] != $0 }.map(\.code),
            removed: Set(known.keys).subtracting(after.map(\.code)).sorted()
        )
        return report
    }

    /// The number of transactions that wait for the server, and the number of changes that were refused or discarded.
    public func status() throws -> (waiting: Int, lost: Int) {
        let status = try SyncInspection(of: realm()).status()
        return (status.recordedCommits + Int(status.unsentCommits), status.lost)
    }

    /// The changes that the server refused, and those that a reset discarded: each as a line of JSON.
    public func lostWork() throws -> [String] {
        var lines: [String] = []
        try SyncInspection(of: realm()).forEachLost { lines.append($0) }
        return lines
    }
}

extension Realm {
    fileprivate func site(_ code: String) throws -> Site {
        if let site = object(ofType: Site.self, forPrimaryKey: code) { return site }
        throw DeviceError.missing("site \(code)")
    }
}
