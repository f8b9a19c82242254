/// The features that a reader of the file must support. They are bits in the header since format 5.
///
/// A file with an unsupported bit is refused and left unchanged. The numbers never change.
struct FileFeatures: OptionSet, Hashable, Sendable {
    let rawValue: UInt64

    init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Each block is followed by its checksum: see `BlockEnvelope`.
    static let checksums = FileFeatures(rawValue: 1 << 0)
    /// Commits are journalled.
    static let journal = FileFeatures(rawValue: 1 << 1)
    /// The file has columns that aren't part of a schema.
    static let hiddenColumns = FileFeatures(rawValue: 1 << 2)
    /// Commits can be in a log beside the file: see `CommitLog`.
    static let commitLog = FileFeatures(rawValue: 1 << 3)

    /// The features that this version reads and writes.
    static let supported: FileFeatures = [.checksums, .commitLog]

    private static let names: [(feature: FileFeatures, name: String)] = [
        (.checksums, "checksums"), (.journal, "a journal"), (.hiddenColumns, "hidden columns"),
        (.commitLog, "a commit log"),
    ]

    /// The names of the features and the numbers of unknown bits, for messages.
    var described: String {
        (0..<64).map { FileFeatures(rawValue: 1 << $0) }.filter(contains).map { feature in
            Self.names.first { $0.feature == feature }?.name ?? "bit \(feature.rawValue.trailingZeroBitCount)"
        }.joined(separator: ", ")
    }
}
