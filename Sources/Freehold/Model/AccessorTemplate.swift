import CFreeholdShims

/// The initial memory of an accessor of a class whose stored properties are all `@Persisted`. Its wrappers are those of
/// a row, and contain placeholders.
///
/// A copy of it is an object whose initialisers haven't run, so the default values of its properties haven't been
/// computed. Most placeholders contain no references, so their bytes can be copied. The remaining ones are created for
/// each accessor.
struct AccessorTemplate: @unchecked Sendable {
    private let metadata: UnsafeRawPointer
    private let size: Int
    private let alignmentMask: Int
    /// An object that is never freed and never used.
    private let prototype: UnsafeRawPointer
    /// The placeholders that can't be copied. They are never freed, like the prototype, so that they need no reference
    /// counting.
    private let others: UnsafeBufferPointer<Other>

    private struct Other {
        let offset: Int
        let index: Int
        let access: any PersistedAccess.Type
    }

    private static let headerSize = 2 * MemoryLayout<UInt>.size

    init(of cls: ObjectBase.Type, _ properties: [PropertyInfo]) {
        metadata = unsafeBitCast(cls, to: UnsafeRawPointer.self)
        (size, alignmentMask) = ClassDescriptor.instanceLayout(of: cls)
        let memory = fh_allocate_object(metadata, size, alignmentMask)
        (memory + Self.headerSize).initializeMemory(as: UInt8.self, repeating: 0, count: size - Self.headerSize)
        prototype = UnsafeRawPointer(memory)
        Unmanaged<ObjectBase>.fromOpaque(memory)._withUnsafeGuaranteedRef { $0._rawKey = -1 }
        var others: [Other] = []
        for property in properties {
            property.access.initializePlaceholder(memory + property.offset, property.index)
            if !property.access.isPlaceholderCopied {
                others.append(Other(offset: property.offset, index: property.index, access: property.access))
            }
        }
        let kept = UnsafeMutableBufferPointer<Other>.allocate(capacity: others.count)
        _ = kept.initialize(from: others)
        self.others = UnsafeBufferPointer(kept)
    }

    @inline(__always)
    func make() -> ObjectBase {
        let memory = fh_allocate_object(metadata, size, alignmentMask)
        let fields = size - Self.headerSize
        (memory + Self.headerSize).copyMemory(from: prototype + Self.headerSize, byteCount: fields)
        if !others.isEmpty { makeOthers(memory) }
        return Unmanaged<ObjectBase>.fromOpaque(memory).takeRetainedValue()
    }

    @inline(never)
    private func makeOthers(_ memory: UnsafeMutableRawPointer) {
        for other in others { other.access.initializePlaceholder(memory + other.offset, other.index) }
    }
}
