/// The access to nodes by their references, each of which is checked. It counts the bytes that are read.
///
/// In a file that Realm wrote, each node has one parent. A walk that reads every object once therefore never reads more
/// bytes than the file has. The budget enforces this for a damaged file, in which nodes may be shared or form cycles.
final class FileNodes {
    let file: FileBytes
    /// The first possible position of a node, after the header.
    static let firstOffset = 24
    private(set) var budget: Int
    /// The number of texts that weren't valid UTF-8 and have been repaired.
    var repairedStrings = 0
    /// The columns' lists of different strings that have been read, by their references.
    var enumerations: [UInt64: EnumeratedStrings] = [:]
    /// The number of arrays read, and the remaining budget, when memory was last freed.
    private var (readCount, releasedAt) = (0, 0)

    init(_ file: FileBytes) {
        self.file = file
        budget = 0
        refill()
    }

    /// Resets the budget. The method is called before each walk.
    func refill() {
        budget = file.count + 65_536
        releasedAt = budget
    }

    /// Reads arrays that have been read before. They aren't counted again.
    func uncounted<R>(_ body: () throws(RealmFileError) -> R) throws(RealmFileError) -> R {
        let before = budget
        // During the call, at most the size of the whole file may be read.
        budget = file.count + 65_536
        defer { budget = before }
        return try body()
    }

    /// Frees memory if much data has been read. All addresses of nodes become invalid.
    func release() {
        guard readCount > Self.keptArrays || releasedAt - budget > Self.keptBytes else { return }
        readCount = 0
        releasedAt = budget
        file.release()
    }

    /// The number of bytes and of arrays that are read before memory is freed. Each array may be in a page of its own.
    private static let keptBytes = 16 << 20
    private static let keptArrays = 16_384

    @inline(__always)
    func node(_ ref: UInt64) throws(RealmFileError) -> Node {
        guard ref & 7 == 0, ref >= UInt64(Self.firstOffset), ref <= UInt64(file.count) else {
            throw .damaged("a reference to \(ref) leads nowhere", at: Int(clamping: ref))
        }
        let offset = Int(ref)
        let header = try file.address(of: offset, length: Node.headerSize)
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
        _ = try file.address(of: offset, length: Node.headerSize + size)
        budget -= Node.headerSize + size
        readCount += 1
        guard budget >= 0 else { throw .damaged("arrays are shared, or lead back to themselves", at: offset) }
        return node
    }

    /// Returns an array of integers.
    @inline(__always)
    func ints(_ ref: UInt64) throws(RealmFileError) -> Node {
        let node = try node(ref)
        guard node.kind == .bits else { throw .damaged("an array of integers is none", at: node.offset) }
        return node
    }

    /// Returns an array that contains references.
    func refs(_ ref: UInt64) throws(RealmFileError) -> Node {
        let node = try ints(ref)
        guard node.hasRefs else { throw .damaged("an array of references is none", at: node.offset) }
        return node
    }

    /// Returns a text, in which bytes that aren't UTF-8 are replaced.
    @inline(__always)
    func string(_ bytes: UnsafeRawBufferPointer) -> String {
        if let string = String(validating: bytes.bindMemory(to: UInt8.self), as: UTF8.self) { return string }
        repairedStrings += 1
        return String(decoding: bytes, as: UTF8.self)
    }
}
