internal import CFreeholdShims

/// The header of a file. It is written once, when the file is created, and is never encrypted.
///
/// | bytes | |
/// |---|---|
/// | 0 ..< 8 | magic |
/// | 8 ..< 20 | format, cluster span, 1 where the file is encrypted: 32 bits each |
/// | 20 ..< 24 | since format 5: zero |
/// | 24 ..< 40 | since format 5: features that a reader must know, and those that it needn't, a bit each |
/// | 40 ..< 44 | since format 5: the version of Unicode, 16 bits each |
/// | 44 ..< 92 | since format 5: zero, for what is to come |
/// | 92 ..< 96 | since format 5: the checksum of the 92 bytes |
/// | then | of an encrypted file: its id and code |
struct DatabaseHeader: Equatable, Sendable {
    /// The parameters of an encrypted file.
    struct Encryption: Equatable, Sendable {
        static let fileIDSize = 16
        static let codeSize = 32

        /// A random id.
        let fileID: [UInt8]
        /// A code of all preceding bytes. Its key is derived from the user's key, so the code shows whether the key is correct.
        let code: [UInt8]
    }

    static let address = BlockAddress(segment: Catalogue.segment, number: Catalogue.headerBlock)
    /// The formats that this version reads and writes.
    static let formats: ClosedRange<UInt32> = 4...Catalogue.formatVersion
    private static let plainSize = 96
    private static let oldSize = 20
    private static let reservedSize = 48
    private static let maximumClusterSpan = 1024

    var formatVersion = Catalogue.formatVersion
    var clusterSpan: Int
    /// The features that a reader must support. Files before format 5 have none.
    var requiredFeatures: FileFeatures = []
    /// The features that a reader may ignore.
    var optionalFeatures: UInt64 = 0
    /// The version of the Unicode tables that determine words and case in the file's indexes.
    var unicode: UnicodeVersion = .unknown
    var encryption: Encryption?

    init(clusterSpan: Int) { self.clusterSpan = clusterSpan }

    /// Returns the header of a new file before it is sealed. Blocks in memory don't need checksums.
    static func new(clusterSpan: Int, formatVersion: UInt32, isInMemory: Bool) -> DatabaseHeader {
        var header = DatabaseHeader(clusterSpan: min(max(clusterSpan, 1), maximumClusterSpan))
        header.formatVersion = min(max(formatVersion, formats.lowerBound), formats.upperBound)
        guard header.formatVersion > 4 else { return header }
        header.unicode = .current
        if !isInMemory { header.requiredFeatures = .checksums }
        return header
    }

    /// The order of the file's blocks.
    var order: BlockOrder { BlockOrder(formatVersion: formatVersion) }

    /// The header of a copy in the newest format.
    var copied: DatabaseHeader {
        var header = self
        header.formatVersion = Catalogue.formatVersion
        header.requiredFeatures.insert(.checksums)
        header.requiredFeatures.remove(.commitLog)
        header.encryption = nil
        return header
    }

    /// Returns the header for the same file with the feature of commit logs.
    ///
    /// - Parameter envelope: the envelope of the file.
    func allowingCommitLog(_ envelope: BlockEnvelope) -> DatabaseHeader {
        var header = self
        header.requiredFeatures.insert(.commitLog)
        guard let cipher = envelope.cipher, let encryption else { return header }
        header.encryption = Encryption(fileID: encryption.fileID, code: [])
        let code = cipher.headerCode(header.encoded())
        header.encryption = Encryption(fileID: encryption.fileID, code: code)
        return header
    }

    /// Returns the header for a file that is encrypted with a key, if there is one, and the envelope of its blocks.
    func sealed(_ key: EncryptionKey?, path: String) throws(EngineError) -> (DatabaseHeader, BlockEnvelope) {
        guard let key else { return (self, requiredFeatures.contains(.checksums) ? .checksum : .bare) }
        try Self.checkAvailable(path)
        var header = self
        // Seals make checksums unnecessary.
        header.requiredFeatures.remove(.checksums)
        var generator = SystemRandomNumberGenerator()
        let id = (0..<Encryption.fileIDSize).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let cipher = FileCipher(key, fileID: id)
        header.encryption = Encryption(fileID: id, code: [])
        let code = cipher.headerCode(header.encoded())
        header.encryption = Encryption(fileID: id, code: code)
        return (header, .sealed(cipher))
    }

    private static func checkAvailable(_ path: String) throws(EngineError) {
        guard BlockCryptography.isAvailable else {
            throw EngineError(
                .unsupportedFormat,
                "This program was built without encryption: let its package take Freehold with the trait `Encryption`.",
                path: path
            )
        }
    }

    func encoded() -> [UInt8] {
        var w = ByteWriter()
        w.raw(Catalogue.magic)
        w.fixed(formatVersion)
        w.fixed(UInt32(clusterSpan))
        w.fixed(UInt32(encryption == nil ? 0 : 1))
        if formatVersion > 4 {
            w.fixed(UInt32(0))
            w.fixed(requiredFeatures.rawValue)
            w.fixed(optionalFeatures)
            w.fixed(unicode.major)
            w.fixed(unicode.minor)
            w.raw([UInt8](repeating: 0, count: Self.reservedSize))
            w.fixed(w.bytes.withUnsafeBytes { fh_checksum(0, $0.baseAddress, $0.count) })
        }
        if let encryption {
            w.raw(encryption.fileID)
            w.raw(encryption.code)
        }
        return w.bytes
    }

    /// - Throws: `.invalidDatabase` if the bytes aren't a header, `.unsupportedFormat` for a newer format or for unknown required features.
    static func decode(_ bytes: UnsafeRawBufferPointer?, path: String) throws(EngineError) -> DatabaseHeader {
        guard let bytes, bytes.count >= oldSize, Array(bytes[0..<8]) == Catalogue.magic else {
            throw EngineError(
                .invalidDatabase,
                "The file isn't a Freehold database and is unchanged.",
                detail: .foreignFile,
                path: path
            )
        }
        var r = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[8...]))
        let version = r.fixed(UInt32.self)!
        let span = Int(r.fixed(UInt32.self)!)
        let kind = r.fixed(UInt32.self)!
        let damage = EngineError(.invalidDatabase, "The file's header is damaged.", path: path)
        guard version <= formats.upperBound else {
            throw EngineError(
                .unsupportedFormat,
                "The file has format \(version); this version of Freehold reads up to \(formats.upperBound). "
                    + "Open it with a newer Freehold; it was left as it is.",
                path: path
            )
        }
        guard version >= formats.lowerBound else {
            throw EngineError(
                .unsupportedFormat,
                "The file has format \(version), of a Freehold from before its first release; it was left as it is.",
                path: path
            )
        }
        guard span >= 1, span <= maximumClusterSpan, kind <= 1 else { throw damage }
        var header = DatabaseHeader(clusterSpan: span)
        header.formatVersion = version
        if version > 4 {
            guard hasRightChecksum(bytes) else { throw damage }
            _ = r.fixed(UInt32.self)
            header.requiredFeatures = FileFeatures(rawValue: r.fixed(UInt64.self)!)
            header.optionalFeatures = r.fixed(UInt64.self)!
            header.unicode = UnicodeVersion(major: r.fixed(UInt16.self)!, minor: r.fixed(UInt16.self)!)
            let unknown = header.requiredFeatures.subtracting(.supported)
            guard unknown.isEmpty else {
                throw EngineError(
                    .unsupportedFormat,
                    "The file has features that this version of Freehold doesn't know: \(unknown.described). "
                        + "Open it with a newer Freehold; it was left as it is.",
                    path: path
                )
            }
        }
        let rest = Array(bytes[(version > 4 ? plainSize : oldSize)...])
        // A newer format's number can have been changed to an older one by damage.
        if kind == 0, version == 4, !rest.isEmpty { throw damage }
        if kind == 1 {
            guard rest.count == Encryption.fileIDSize + Encryption.codeSize else { throw damage }
            header.encryption = Encryption(
                fileID: Array(rest[..<Encryption.fileIDSize]),
                code: Array(rest[Encryption.fileIDSize...])
            )
        }
        return header
    }

    /// Returns whether a stored header is unchanged.
    ///
    /// - Parameter cipher: the cipher of the file. Headers of format 4 don't have a checksum. Only encrypted files have a code.
    static func isSound(_ bytes: UnsafeRawBufferPointer, _ cipher: FileCipher?) -> Bool {
        guard let cipher else { return hasRightChecksum(bytes) }
        guard var header = try? decode(bytes, path: ""), let encryption = header.encryption else { return false }
        header.encryption = Encryption(fileID: encryption.fileID, code: [])
        return cipher.isHeaderCode(encryption.code, of: header.encoded())
    }

    /// Returns whether the checksum of a header since format 5 is correct.
    static func hasRightChecksum(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= plainSize else { return false }
        let stored = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: plainSize - 4, as: UInt32.self))
        return fh_checksum(0, bytes.baseAddress, plainSize - 4) == stored
    }

    /// Returns the envelope of the file's blocks.
    ///
    /// - Throws: `.invalidDatabase` if the key isn't that of the file, is missing, or isn't needed.
    func envelope(_ key: EncryptionKey?, path: String) throws(EngineError) -> BlockEnvelope {
        func refuse(_ detail: EngineError.Detail, _ message: String) -> EngineError {
            EngineError(.invalidDatabase, message, detail: detail, path: path)
        }
        guard let encryption else {
            if key == nil { return requiredFeatures.contains(.checksums) ? .checksum : .bare }
            throw refuse(
                .keyIsUnneeded,
                "The file isn't encrypted: open it without a key. `writeCopy` makes an encrypted copy."
            )
        }
        guard let key else {
            throw refuse(.keyIsMissing, "The file is encrypted: open it with the key that it was made with.")
        }
        try Self.checkAvailable(path)
        let cipher = FileCipher(key, fileID: encryption.fileID)
        var header = self
        header.encryption = Encryption(fileID: encryption.fileID, code: [])
        guard cipher.isHeaderCode(encryption.code, of: header.encoded()) else {
            throw refuse(
                .keyIsWrong,
                "The key isn't the one that the file was encrypted with, or its header is damaged."
            )
        }
        return .sealed(cipher)
    }
}
