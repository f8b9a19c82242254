/// What a file has that an older Freehold can't do without knowing of: bits in the header since format 5.
///
/// A file with a bit that its reader doesn't support is refused and left as it is. Numbers never change.
struct FileFeatures: OptionSet, Hashable, Sendable {
    let rawValue: UInt64

    init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Behind each block lies its checksum; see `BlockEnvelope`.
    static let checksums = FileFeatures(rawValue: 1 << 0)
    /// Commits are journalled.
    static let journal = FileFeatures(rawValue: 1 << 1)
    /// There are columns that no schema names.
    static let hiddenColumns = FileFeatures(rawValue: 1 << 2)
    /// Commits can be in a log beside the file: see `CommitLog`.
    static let commitLog = FileFeatures(rawValue: 1 << 3)

    /// Those that this version reads and writes.
    static let supported: FileFeatures = [.checksums, .commitLog]

    private static let names: [(feature: FileFeatures, name: String)] = [
        (.checksums, "checksums"), (.journal, "a journal"), (.hiddenColumns, "hidden columns"),
        (.commitLog, "a commit log"),
    ]

    /// For messages: names, and numbers of bits that nothing is known of.
    var described: String {
        (0..<64).map { FileFeatures(rawValue: 1 << $0) }.filter(contains).map { feature in
            Self.names.first { $0.feature == feature }?.name ?? "bit \(feature.rawValue.trailingZeroBitCount)"
        }.joined(separator: ", ")
    }
}
