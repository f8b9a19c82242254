import FreeholdBSON

/// The destination of the objects of an asymmetric class. Without such settings, the objects stay in the class's table.
///
/// The settings contain no secrets, but the paths of files with secrets.
public struct SinkSettings: Hashable, Sendable {
    public enum Target: Hashable, Sendable {
        /// Files of JSON lines in a folder: see ``FileSink``.
        case files(FileTarget)
        /// An HTTP address: see ``HookSink``.
        case hook(HookTarget)
    }

    public struct FileTarget: Hashable, Sendable {
        /// The absolute path of the folder. It is created if it doesn't exist.
        public var folder: String
        /// The size in bytes from which a file is followed by another one.
        public var fileSize: Int

        public init(folder: String, fileSize: Int = 256 << 20) { (self.folder, self.fileSize) = (folder, fileSize) }
    }

    public struct HookTarget: Hashable, Sendable {
        public var address: String
        /// The absolute path of a file with the secrets for signatures, one for each line, newest first.
        public var secretFile: String?
        /// The path of a file with additional headers, one for each line: `Authorization: Bearer …`.
        public var headerFile: String?
        /// The path of a PEM file with the trusted certificates of the receiver, in the place of the system's.
        public var certificates: String?
        /// The maximum duration of a request, in seconds.
        public var timeout: Int
        /// The time in seconds for which a batch is sent again before it is written to the file of dead letters.
        public var giveUp: Int

        public init(
            address: String,
            secretFile: String? = nil,
            headerFile: String? = nil,
            certificates: String? = nil,
            timeout: Int = 60,
            giveUp: Int = 3 * 86_400
        ) {
            (self.address, self.secretFile, self.headerFile) = (address, secretFile, headerFile)
            (self.certificates, self.timeout, self.giveUp) = (certificates, timeout, giveUp)
        }
    }

    public var className: String
    public var target: Target
    /// A Boolean value that indicates whether documents are in canonical Extended JSON, which contains the type of each
    /// number.
    public var isCanonical: Bool
    /// A Boolean value that indicates whether delivered objects are removed from the store.
    public var removesDelivered: Bool
    /// The number of waiting objects from which further uploads wait, until a quarter of the objects is delivered.
    public var mostWaiting: Int

    public init(
        className: String,
        target: Target,
        isCanonical: Bool = false,
        removesDelivered: Bool = false,
        mostWaiting: Int = 1_000_000
    ) {
        (self.className, self.target, self.isCanonical) = (className, target, isCanonical)
        (self.removesDelivered, self.mostWaiting) = (removesDelivered, mostWaiting)
    }

    fileprivate static func check(path: String?, _ what: String) throws(IngestFailure) {
        guard let path else { return }
        guard path.hasPrefix("/"), path.utf8.count <= 1_000, !path.utf8.contains(0) else {
            throw IngestFailure("\(what) is a path that begins with '/'.")
        }
    }

    /// Checks the settings.
    ///
    /// - Throws: `IngestFailure` if no delivery is possible with these settings.
    public func check() throws(IngestFailure) {
        guard mostWaiting > 0 else { throw IngestFailure("At least one object may wait.") }
        switch target {
        case .files(let files):
            try Self.check(path: files.folder, "The folder for files")
            guard files.fileSize > 0 else { throw IngestFailure("A file has at least one byte.") }
        case .hook(let hook): try hook.check()
        }
    }
}

// MARK: - As a document

extension SinkSettings {
    var document: BSONDocument {
        var document: BSONDocument = ["class": .string(className)]
        switch target {
        case .files(let files):
            document.append("folder", .string(files.folder))
            document.append("fileSize", .int64(Int64(files.fileSize)))
        case .hook(let hook): hook.append(to: &document)
        }
        document.append("canonical", .bool(isCanonical))
        document.append("removes", .bool(removesDelivered))
        document.append("mostWaiting", .int64(Int64(mostWaiting)))
        return document
    }

    /// Returns `nil` for a document that doesn't contain settings of a sink.
    init?(_ document: BSONDocument) {
        guard let name = document["class"]?.stringValue else { return nil }
        func number(_ key: String) -> Int? { document[key]?.int64Value.map { Int($0) } }
        if let folder = document["folder"]?.stringValue {
            target = .files(FileTarget(folder: folder, fileSize: number("fileSize") ?? 256 << 20))
        } else if let hook = HookTarget(document) {
            target = .hook(hook)
        } else {
            return nil
        }
        className = name
        isCanonical = document["canonical"]?.boolValue ?? false
        removesDelivered = document["removes"]?.boolValue ?? false
        mostWaiting = number("mostWaiting") ?? 1_000_000
    }
}

extension SinkSettings.HookTarget {
    /// Checks the settings.
    ///
    /// - Throws: `IngestFailure` if no request is possible with these settings.
    func check() throws(IngestFailure) {
        _ = try HookAddress(address)
        try SinkSettings.check(path: secretFile, "The file of secrets")
        try SinkSettings.check(path: headerFile, "The file of headers")
        try SinkSettings.check(path: certificates, "The file of certificates")
        guard timeout > 0, giveUp > 0 else { throw IngestFailure("Times are at least one second.") }
    }

    /// Appends the settings to a document.
    func append(to document: inout BSONDocument) {
        document.append("address", .string(address))
        for (key, path) in [
            ("secretFile", secretFile), ("headerFile", headerFile), ("certificates", certificates),
        ] {
            if let path { document.append(key, .string(path)) }
        }
        document.append("timeout", .int64(Int64(timeout)))
        document.append("giveUp", .int64(Int64(giveUp)))
    }

    /// Returns `nil` for a document that doesn't contain an address.
    init?(_ document: BSONDocument) {
        guard let address = document["address"]?.stringValue else { return nil }
        func number(_ key: String) -> Int? { document[key]?.int64Value.map { Int($0) } }
        self.init(
            address: address,
            secretFile: document["secretFile"]?.stringValue,
            headerFile: document["headerFile"]?.stringValue,
            certificates: document["certificates"]?.stringValue
        )
        timeout = number("timeout") ?? timeout
        giveUp = number("giveUp") ?? giveUp
    }
}

extension SinkSettings: CustomStringConvertible {
    /// A description for a list of sinks. Parts of an address that may be secret are left out.
    public var description: String {
        let place =
            switch target {
            case .files(let files): "files in \(files.folder)"
            case .hook(let hook): "hook \(hook.address.prefix { $0 != "?" })"
            }
        return "\(className)\t\(place)\tdelivered=\(removesDelivered ? "removed" : "kept")\tmost-waiting=\(mostWaiting)"
    }
}
