/// Written once, when the file is made, and never encrypted.
struct DatabaseHeader: Equatable {
    /// Of an encrypted file.
    struct Encryption: Equatable {
        static let fileIDSize = 16
        static let codeSize = 32

        /// Random.
        let fileID: [UInt8]
        /// Over all before it, under a key that only the user's gives: so a wrong one is told from a right one.
        let code: [UInt8]
    }

    static let address = BlockAddress(segment: Catalogue.segment, number: Catalogue.headerBlock)

    var formatVersion = Catalogue.formatVersion
    var clusterSpan: Int
    var encryption: Encryption?

    init(clusterSpan: Int) { self.clusterSpan = clusterSpan }

    /// The header of a new file, and what seals its blocks.
    static func make(
        clusterSpan: Int,
        key: EncryptionKey?,
        path: String
    ) throws(EngineError) -> (header: DatabaseHeader, cipher: FileCipher?) {
        var header = DatabaseHeader(clusterSpan: clusterSpan)
        guard let key else { return (header, nil) }
        try checkAvailable(path)
        var generator = SystemRandomNumberGenerator()
        let id = (0..<Encryption.fileIDSize).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let cipher = FileCipher(key, fileID: id)
        header.encryption = Encryption(fileID: id, code: [])
        let code = cipher.headerCode(header.encoded())
        header.encryption = Encryption(fileID: id, code: code)
        return (header, cipher)
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
        if let encryption {
            w.raw(encryption.fileID)
            w.raw(encryption.code)
        }
        return w.bytes
    }

    /// - Throws: `.invalidDatabase` where it isn't a header, `.unsupportedFormat` where it is a newer one.
    static func decode(_ bytes: UnsafeRawBufferPointer?, path: String) throws(EngineError) -> DatabaseHeader {
        guard let bytes, bytes.count >= 16, Array(bytes[0..<8]) == Catalogue.magic else {
            throw EngineError(.invalidDatabase, "The file is no Freehold database; it was left as it is.", path: path)
        }
        var r = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[8...]))
        let version = r.fixed(UInt32.self)!
        let span = Int(r.fixed(UInt32.self)!)
        guard version <= Catalogue.formatVersion else {
            throw EngineError(
                .unsupportedFormat,
                "The file has format \(version); this version of Freehold reads up to \(Catalogue.formatVersion). "
                    + "Open it with a newer Freehold; it was left as it is.",
                path: path
            )
        }
        guard version == Catalogue.formatVersion else {
            throw EngineError(
                .unsupportedFormat,
                "The file has format \(version), of a Freehold from before its first release; it was left as it is.",
                path: path
            )
        }
        let damage = EngineError(.invalidDatabase, "The file's header is damaged.", path: path)
        guard span >= 1, span <= 1024, let kind = r.fixed(UInt32.self), kind <= 1 else { throw damage }
        var header = DatabaseHeader(clusterSpan: span)
        let rest = Array(bytes[20...])
        if kind == 1 {
            guard rest.count == Encryption.fileIDSize + Encryption.codeSize else { throw damage }
            header.encryption = Encryption(
                fileID: Array(rest[..<Encryption.fileIDSize]),
                code: Array(rest[Encryption.fileIDSize...])
            )
        }
        return header
    }

    /// What opens the file's blocks; nil where it isn't encrypted.
    ///
    /// - Throws: `.invalidDatabase` where the key isn't this file's, is missing, or there is one too many.
    func cipher(_ key: EncryptionKey?, path: String) throws(EngineError) -> FileCipher? {
        func refuse(_ message: String) -> EngineError { EngineError(.invalidDatabase, message, path: path) }
        guard let encryption else {
            if key == nil { return nil }
            throw refuse("The file isn't encrypted: open it without a key. `writeCopy` makes an encrypted copy.")
        }
        guard let key else { throw refuse("The file is encrypted: open it with the key that it was made with.") }
        try Self.checkAvailable(path)
        let cipher = FileCipher(key, fileID: encryption.fileID)
        var header = self
        header.encryption = Encryption(fileID: encryption.fileID, code: [])
        guard cipher.isHeaderCode(encryption.code, of: header.encoded()) else {
            throw refuse("The key isn't the one that the file was encrypted with, or its header is damaged.")
        }
        return cipher
    }
}
