/// The conversion of enums in properties: `@objc enum Status: Int, RealmEnum` becomes `enum Status: Int,
/// PersistableEnum`.
extension Converter {
    mutating func convertEnums() {
        var names: Set<String> = []
        for plan in plans.values {
            for property in plan.properties { names.formUnion(property.stored?.mentioned ?? []) }
        }
        for (name, references) in index.enums.sorted(by: { $0.key < $1.key }) {
            for reference in references {
                let type = index.type(reference)
                let isRealm = ["RealmEnum", "PersistableEnum"].contains {
                    conformance($0, type) != nil || extensionOf(name, conformingTo: $0) != nil
                }
                // Other enums can't be types of properties. For example, `Defaults.size` doesn't belong to the enum
                // `Defaults`.
                guard isRealm || (names.contains(name) && type.head.attribute("objc") != nil) else { continue }
                convertEnum(type, reference.file)
            }
        }
    }

    private func conformance(_ name: String, _ type: TypeDeclaration) -> Range<Int>? {
        type.inherited.first { $0.path.last == name }?.range
    }

    private func extensionOf(_ name: String, conformingTo other: String) -> (file: Int, range: Range<Int>)? {
        for (f, file) in files.enumerated() {
            for type in file.types where type.kind == .extension && type.name == name {
                if let range = conformance(other, type) { return (f, range) }
            }
        }
        return nil
    }

    private mutating func convertEnum(_ type: TypeDeclaration, _ f: Int) {
        let tokens = files[f].tokens
        var isChanged = false
        if let objc = type.head.attribute("objc") {
            removeWords(objc.range, in: f)
            isChanged = true
        }
        defer { if isChanged { counts.enums += 1 } }
        if conformance("PersistableEnum", type) != nil { return }
        if extensionOf(type.name, conformingTo: "PersistableEnum") != nil { return }
        guard let raw = type.inherited.first else {
            let message = "\(type.name) is stored, but has no raw type: give it one, and PersistableEnum"
            return report(.left, inFile: f, at: type.nameToken, message)
        }
        isChanged = true
        needsImport.insert(f)
        func replace(_ range: Range<Int>, in f: Int) {
            let tokens = files[f].tokens
            edits[f].replace(tokens[range.lowerBound].start..<tokens[range.upperBound - 1].end, with: "PersistableEnum")
        }
        if let old = conformance("RealmEnum", type) {
            replace(old, in: f)
        } else if let other = extensionOf(type.name, conformingTo: "RealmEnum"), other.file == f {
            replace(other.range, in: f)
        } else {
            // The compiler lists the cases only in the file of the enum.
            let last = type.inherited.last ?? raw
            edits[f].insert(", PersistableEnum", at: tokens[last.range.upperBound - 1].end)
        }
    }
}
