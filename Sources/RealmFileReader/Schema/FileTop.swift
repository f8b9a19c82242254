/// The header, and the content of the newest version's top array.
struct FileTop {
    let formatVersion: Int
    /// A Boolean value that indicates whether the file was written as a copy, without free space and history.
    let isStreamed: Bool
    var tableNames: UInt64?
    var tables: UInt64?
    var version: UInt64 = 0
    var historyType = 0
    var history: UInt64?
    var historySchemaVersion = 0

    /// The formats that this reader supports.
    static let known = 10...24

    init(_ nodes: FileNodes, path: String) throws(RealmFileError) {
        let file = nodes.file
        guard file.count >= 24 else {
            throw RealmFileError(.notARealmFile, "The file is too short to be a Realm file.", path: path)
        }
        let header = try file.address(of: 0, length: 24)
        let mnemonic = UnsafeRawBufferPointer(start: header + 16, count: 4)
        guard mnemonic.elementsEqual("T-DB".utf8) else {
            if file.isEncrypted {
                throw RealmFileError(
                    .wrongKey,
                    "The key doesn't open the file: what it decrypts isn't a Realm file.",
                    path: path
                )
            }
            throw RealmFileError(
                .notARealmFile,
                "This isn't a Realm file, or it is encrypted: then its key of 64 bytes is needed.",
                path: path
            )
        }
        let slot = Int(header.load(fromByteOffset: 23, as: UInt8.self) & 1)
        var top = UInt64(littleEndian: header.loadUnaligned(fromByteOffset: slot * 8, as: UInt64.self))
        formatVersion = Int(header.load(fromByteOffset: 20 + slot, as: UInt8.self))
        isStreamed = slot == 0 && top == .max
        try Self.check(formatVersion, isEmpty: top == 0, path: path)
        if isStreamed { top = try Self.footer(file) }
        guard top != 0 else { return }
        let node = try nodes.refs(top)
        tableNames = node.ref(0)
        tables = node.ref(1)
        version = UInt64(max(0, node.number(6) ?? 0))
        historyType = Int(node.number(7) ?? 0)
        history = node.ref(8)
        historySchemaVersion = Int(node.number(9) ?? 0)
    }

    private static func footer(_ file: FileBytes) throws(RealmFileError) -> UInt64 {
        let place = file.count - 16
        guard place >= 24 else { throw .damaged("a copied file has no end", at: 0) }
        let footer = try file.address(of: place, length: 16)
        guard UInt64(littleEndian: footer.loadUnaligned(fromByteOffset: 8, as: UInt64.self)) == 0x3034_1252_37E5_26C8
        else {
            throw .damaged(
                "a copied file doesn't end as it should: it was cut short, or is still being copied",
                at: place
            )
        }
        return UInt64(littleEndian: footer.loadUnaligned(as: UInt64.self))
    }

    private static func check(_ version: Int, isEmpty: Bool, path: String) throws(RealmFileError) {
        if known.contains(version) || (version == 0 && isEmpty) { return }
        let what =
            version < known.lowerBound
            ? "The file has Realm's format \(version), as SDKs before 2020 wrote it; formats 10 to 24 can be read. "
                + "Open it once with an app that uses Realm Swift 10 (or another SDK of 2020 to 2024), which brings it up to "
                + "date, and import it then."
            : "The file has Realm's format \(version), which is newer than any that is known; formats 10 to 24 can be read."
        throw RealmFileError(.unsupportedFormat, what, path: path, formatVersion: version)
    }
}
