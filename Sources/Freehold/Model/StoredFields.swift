/// A stored field of a class, its superclasses' included.
struct StoredField {
    let name: String
    /// From the object's address.
    let offset: Int
    let type: Any.Type

    /// The name of the property that it is the storage of: `_x` is that of a wrapped one, another prefix a lazy one's.
    var declaredName: String {
        let lazy = "$__lazy_storage_$_"
        if name.hasPrefix(lazy) { return String(name.dropFirst(lazy.count)) }
        guard type is any PersistedAccess.Type, name.hasPrefix("_") else { return name }
        return String(name.dropFirst())
    }
}

/// The stored fields of classes by the entry points that `Mirror` stands on. They are part of Swift's stable ABI
/// and list superclasses' fields first.
enum StoredFields {
    static func of(_ cls: AnyClass) -> [StoredField] {
        (0..<recursiveCount(cls)).map { i in
            var metadata = FieldMetadata(name: nil, free: nil, isStrong: false, isVar: false)
            let type = recursiveChildMetadata(cls, i, &metadata)
            let name = metadata.name.map { String(cString: $0) } ?? ""
            metadata.free?(metadata.name)
            return StoredField(name: name, offset: recursiveChildOffset(cls, i), type: type)
        }
    }
}

private struct FieldMetadata {
    var name: UnsafePointer<CChar>?
    var free: (@convention(c) (UnsafePointer<CChar>?) -> Void)?
    var isStrong: Bool
    var isVar: Bool
}

@_silgen_name("swift_reflectionMirror_recursiveCount")
private func recursiveCount(_ type: Any.Type) -> Int

@_silgen_name("swift_reflectionMirror_recursiveChildMetadata")
private func recursiveChildMetadata(
    _ type: Any.Type,
    _ index: Int,
    _ metadata: UnsafeMutablePointer<FieldMetadata>
) -> Any.Type

@_silgen_name("swift_reflectionMirror_recursiveChildOffset")
private func recursiveChildOffset(_ type: Any.Type, _ index: Int) -> Int
