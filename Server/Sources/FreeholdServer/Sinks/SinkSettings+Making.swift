import FreeholdBSON
import FreeholdServerStore
import FreeholdSyncCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The names of the files for the objects of a class in one stream.
struct SinkFiles {
    /// The file with the position of the pump.
    let ledger: String
    /// The file with undeliverable batches.
    let deadLetters: String
    /// The folder inside the sink's folder: empty for an app's own stream, and otherwise one folder for each stream.
    let folder: String
    /// The beginning of the files' names.
    let name: String

    /// - Parameter folder: The server's own folder for ledgers. It is created if it doesn't exist.
    init(_ stream: StreamName, _ className: SyncString, folder: String) throws {
        let file = stream.fileName
        name = Self.fileName(className.string)
        self.folder = stream.value == nil ? "" : "/" + file
        let own = "\(folder)/\(Self.fileName(stream.app.string))"
        try Self.makeFolder(own)
        ledger = "\(own)/\(name).\(file).ledger"
        deadLetters = "\(own)/\(name).\(file).dead.jsonl"
    }

    static func makeFolder(_ path: String) throws(IngestFailure) {
        do {
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch { throw IngestFailure("The folder \(path) can't be made: \(error)") }
    }

    /// Returns a name in which letters, digits, `-` and `_` are unchanged. The name ends with a hash if the original
    /// has other characters or is long.
    private static func fileName(_ name: String) -> String {
        let plain = name.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || byte == 0x2D || byte == 0x5F
        }
        if plain, 1...80 ~= name.utf8.count { return name }
        let hash = RunningHash.empty.appending(Array(name.utf8))
        let readable = name.unicodeScalars.prefix(60).map { scalar -> Character in
            scalar.isASCII && scalar.properties.isAlphabetic ? Character(scalar) : "_"
        }
        return String(readable) + "-" + String(hash.high, radix: 16) + String(hash.low, radix: 16)
    }
}

extension SinkSettings {
    /// Reads secrets and headers, and creates the sink of one stream.
    ///
    /// - Throws: `IngestFailure` if a file can't be read, or contains invalid values. The error doesn't quote the file.
    func sink(_ files: SinkFiles) throws(IngestFailure) -> any IngestSink {
        switch target {
        case .files(let target):
            let folder = target.folder + files.folder
            try SinkFiles.makeFolder(folder)
            return try FileSink(
                folder,
                name: files.name,
                options: .init(fileSize: target.fileSize, format: isCanonical ? .canonical : .relaxed)
            )
        case .hook(let target):
            let (secrets, headers) = try target.credentials()
            return try HookSink(
                target.address,
                deadLetters: files.deadLetters,
                options: .init(
                    secrets: secrets,
                    headers: headers,
                    trustRoots: target.certificates,
                    timeout: .seconds(target.timeout),
                    giveUp: .seconds(target.giveUp),
                    format: isCanonical ? .canonical : .relaxed
                )
            )
        }
    }

}

extension SinkSettings.HookTarget {
    /// Reads the secrets and the headers of requests.
    ///
    /// - Throws: `IngestFailure` if a file can't be read, or contains invalid values. The error doesn't quote the file.
    func credentials() throws(IngestFailure) -> (secrets: [String], headers: [(name: String, value: String)]) {
        let secrets = try secretFile.map { file throws(IngestFailure) in try Self.lines(file) } ?? []
        guard secretFile == nil || !secrets.isEmpty else { throw IngestFailure("The file of secrets is empty.") }
        var headers: [(name: String, value: String)] = []
        for line in try headerFile.map({ file throws(IngestFailure) in try Self.lines(file) }) ?? [] {
            guard let colon = line.firstIndex(of: ":") else {
                throw IngestFailure("A line of the file of headers has no colon.")
            }
            let (name, value) = (String(line[..<colon]), String(line[line.index(after: colon)...].drop { $0 == " " }))
            guard HookAddress.isToken(name), HookAddress.isFieldValue(value) else {
                throw IngestFailure("A line of the file of headers isn't a header that can be sent.")
            }
            headers.append((name, value))
        }
        return (secrets, headers)
    }

    private static func lines(_ file: String) throws(IngestFailure) -> [String] {
        guard let data = FileManager.default.contents(atPath: file), data.count <= 64 << 10 else {
            throw IngestFailure("The file \(file) can't be read, or is larger than 64 KiB.")
        }
        return String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init).filter {
            !$0.isEmpty
        }
    }
}
