/// The descriptor of a class in the program image. Its layout is part of Swift's stable ABI. It contains relative
/// 32-bit offsets: flags at 0, parent at 4, name at 8, metadata accessor at 12, fields at 16, superclass at 20.
struct ClassDescriptor {
    let address: UnsafeRawPointer

    init(address: UnsafeRawPointer) { self.address = address }

    init(_ cls: AnyClass) {
        let metadata = unsafeBitCast(cls, to: UnsafeRawPointer.self)
        address = metadata.load(fromByteOffset: Self.offset, as: UnsafeRawPointer.self)
    }

    /// The offset of the descriptor's address in the metadata of the class. The 16 bytes before it contain the size of
    /// an instance (32 bits), the alignment mask of an instance (16 bits), 16 reserved bits, and two sizes of the
    /// metadata (32 bits each).
    #if canImport(ObjectiveC)
        private static let offset = 8 * MemoryLayout<UnsafeRawPointer>.size
    #else
        private static let offset = 2 * MemoryLayout<UnsafeRawPointer>.size + 24
    #endif

    /// Returns the size of an instance of the class, including its header, and the mask of its alignment.
    static func instanceLayout(of cls: AnyClass) -> (size: Int, alignmentMask: Int) {
        let metadata = unsafeBitCast(cls, to: UnsafeRawPointer.self)
        return (
            Int(metadata.load(fromByteOffset: offset - 16, as: UInt32.self)),
            Int(metadata.load(fromByteOffset: offset - 12, as: UInt16.self))
        )
    }

    private static let classKind: UInt32 = 16
    private static let genericFlag: UInt32 = 0x80

    private var flags: UInt32 { address.load(as: UInt32.self) }
    var isClass: Bool { flags & 0x1f == Self.classKind }
    var isGeneric: Bool { flags & Self.genericFlag != 0 }

    /// The name in the declaration, also for private, nested and local classes.
    var name: String { relative(8).map { String(cString: $0.assumingMemoryBound(to: CChar.self)) } ?? "" }

    private func relative(_ offset: Int) -> UnsafeRawPointer? {
        let distance = address.load(fromByteOffset: offset, as: Int32.self)
        return distance == 0 ? nil : address + offset + Int(distance)
    }

    enum Superclass {
        case none
        case descriptor(UnsafeRawPointer)
        /// A specialised generic class. Only its metadata describes it.
        case other
    }

    var superclass: Superclass {
        guard let name = relative(20) else { return .none }
        // The name consists of one symbolic reference and a zero byte. The reference leads to the descriptor (1), or to
        // a pointer to the descriptor (2).
        let kind = name.load(as: UInt8.self)
        guard kind == 1 || kind == 2, (name + 5).load(as: UInt8.self) == 0 else { return .other }
        let target = name + 1 + Int((name + 1).loadUnaligned(as: Int32.self))
        return .descriptor(kind == 2 ? target.load(as: UnsafeRawPointer.self) : target)
    }

    /// Calls the metadata accessor of the class. Must not be called for generic classes.
    func instantiate() -> AnyClass? {
        guard let accessor = relative(12) else { return nil }
        typealias Accessor = @convention(c) (UInt) -> UnsafeRawPointer
        let metadata = unsafeBitCast(accessor, to: Accessor.self)(0)
        return unsafeBitCast(metadata, to: Any.Type.self) as? AnyClass
    }
}
