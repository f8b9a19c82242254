/// A stored field of a class or its superclasses.
struct StoredField {
    let name: String
    /// The offset from the object's address.
    let offset: Int
    let type: Any.Type

    /// The name of the property whose storage the field is. `_x` is the storage of a wrapped property, and another
    /// prefix is that of a lazy property.
    var declaredName: String {
        let lazy = "$__lazy_storage_$_"
        if name.hasPrefix(lazy) { return String(name.dropFirst(lazy.count)) }
        guard type is any PersistedAccess.Type, name.hasPrefix("_") else { return name }
        return String(name.dropFirst())
    }
}

/// The stored fields of classes, from the functions on which `Mirror` is based. They are part of Swift's stable ABI,
/// and list the fields of superclasses first.
enum StoredFields {
    static func of(_ cls: AnyClass) -> [StoredField] {
        (0..<recursiveCount(cls)).map { i in
            var metadata = FieldMetadata(name: nil, free: nil, isStrong: false, isVar: false)
            let type = recursiveChildMetadata(cls, i, metadata: &metadata)
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
    metadata: UnsafeMutablePointer<FieldMetadata>
) -> Any.Type

@_silgen_name("swift_reflectionMirror_recursiveChildOffset")
private func recursiveChildOffset(_ type: Any.Type, _ index: Int) -> Int
