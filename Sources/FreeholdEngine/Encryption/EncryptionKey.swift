internal import CFreeholdShims

/// The 64 bytes with which a file is encrypted.
///
/// They are stored in memory that is overwritten when the last copy of this value is released. A printed key doesn't contain them.
public struct EncryptionKey: Sendable {
    public static let byteCount = 64

    private let storage: Storage

    /// Returns `nil` unless there are 64 bytes.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        storage = Storage(bytes)
    }

    func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        body(UnsafeRawBufferPointer(storage.memory))
    }

    /// It is Sendable because only `init` writes `memory`.
    private final class Storage: @unchecked Sendable {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: EncryptionKey.byteCount, alignment: 16)

        init(_ bytes: some Collection<UInt8>) { memory.copyBytes(from: bytes) }

        deinit {
            fh_wipe(memory.baseAddress!, memory.count)
            memory.deallocate()
        }
    }
}

extension EncryptionKey: Equatable {
    /// Compares two keys in a time that doesn't depend on the bytes.
    public static func == (a: Self, b: Self) -> Bool {
        var difference: UInt8 = 0
        for i in 0..<byteCount { difference |= a.storage.memory[i] ^ b.storage.memory[i] }
        return difference == 0
    }
}

extension EncryptionKey: CustomStringConvertible, CustomReflectable {
    public var description: String { "EncryptionKey(\(Self.byteCount) bytes)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
