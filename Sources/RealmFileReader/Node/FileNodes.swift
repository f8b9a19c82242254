/// Gives nodes by their references, each of which is checked, and counts what is read.
///
/// In a file as Realm writes it each node has one parent. So nothing that reads every object once reads more bytes than
/// the file has. The budget holds a damaged file to that, in which nodes may be shared or lead back to themselves.
final class FileNodes {
    let file: FileBytes
    /// Where nodes may lie at the earliest: behind the header.
    static let firstOffset = 24
    private(set) var budget: Int
    /// Texts that weren't valid UTF-8, and have been repaired.
    var repairedStrings = 0
    /// Columns' lists of different strings that have been read, by their references.
    var enumerations: [UInt64: EnumeratedStrings] = [:]
    /// Arrays read, and the budget left, when memory was last given back.
    private var (readCount, releasedAt) = (0, 0)

    init(_ file: FileBytes) {
        self.file = file
        budget = 0
        refill()
    }

    /// Before each walk.
    func refill() {
        budget = file.count + 65_536
        releasedAt = budget
    }

    /// Reads arrays that have been read before: they aren't counted again.
    func uncounted<R>(_ body: () throws(RealmFileError) -> R) throws(RealmFileError) -> R {
        let before = budget
        // Meanwhile it may be as much as all of the file.
        budget = file.count + 65_536
        defer { budget = before }
        return try body()
    }

    /// Lets go of memory if much has been read. No address that a node has is valid then.
    func release() {
        guard readCount > Self.keptArrays || releasedAt - budget > Self.keptBytes else { return }
        readCount = 0
        releasedAt = budget
        file.release()
    }

    /// How much is read before memory is given back: bytes, and arrays, each of which may lie in a page of its own.
    private static let keptBytes = 16 << 20
    private static let keptArrays = 16_384

    @inline(__always)
    func node(_ ref: UInt64) throws(RealmFileError) -> Node {
        guard ref & 7 == 0, ref >= UInt64(Self.firstOffset), ref <= UInt64(file.count) else {
            throw .damaged("a reference to \(ref) leads nowhere", at: Int(clamping: ref))
        }
        let offset = Int(ref)
        let header = try file.address(offset, Node.headerSize)
        let flags = header.load(fromByteOffset: 4, as: UInt8.self)
        guard let kind = Node.WidthKind(rawValue: flags >> 3 & 3) else {
            throw .damaged("an array has an unknown kind", at: offset)
        }
        let count =
            Int(header.load(fromByteOffset: 5, as: UInt8.self)) << 16
            | Int(header.load(fromByteOffset: 6, as: UInt8.self)) << 8
            | Int(header.load(fromByteOffset: 7, as: UInt8.self))
        let width = (1 << Int(flags & 7)) >> 1
        let node = Node(
            data: header + Node.headerSize,
            offset: offset,
            count: count,
            width: width,
            kind: kind,
            flags: flags
        )
        let size = node.byteCount
        _ = try file.address(offset, Node.headerSize + size)
        budget -= Node.headerSize + size
        readCount += 1
        guard budget >= 0 else { throw .damaged("arrays are shared, or lead back to themselves", at: offset) }
        return node
    }

    /// An array of integers.
    @inline(__always)
    func ints(_ ref: UInt64) throws(RealmFileError) -> Node {
        let node = try node(ref)
        guard node.kind == .bits else { throw .damaged("an array of integers is none", at: node.offset) }
        return node
    }

    /// An array that holds references.
    func refs(_ ref: UInt64) throws(RealmFileError) -> Node {
        let node = try ints(ref)
        guard node.hasRefs else { throw .damaged("an array of references is none", at: node.offset) }
        return node
    }

    /// A text, in which what isn't UTF-8 is replaced.
    @inline(__always)
    func string(_ bytes: UnsafeRawBufferPointer) -> String {
        if let string = String(validating: bytes.bindMemory(to: UInt8.self), as: UTF8.self) { return string }
        repairedStrings += 1
        return String(decoding: bytes, as: UTF8.self)
    }
}
