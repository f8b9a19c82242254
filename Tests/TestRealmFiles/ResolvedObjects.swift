package import FreeholdEngine
package import RealmFileReader

/// One class of a file, for either kind of file.
package struct RawClass {
    package var name: String
    /// The number with which links of mixed values name it.
    package var number: Int
    package var isEmbedded: Bool
    /// The targets of links, and the names of sets.
    package var targets: [String: String]
    package var sets: Set<String>
    package var objects: [(key: Int64, values: [String: Value])]

    package init(
        name: String,
        number: Int,
        isEmbedded: Bool,
        targets: [String: String],
        sets: Set<String>,
        objects: [(key: Int64, values: [String: Value])]
    ) {
        self.name = name
        self.number = number
        self.isEmbedded = isEmbedded
        self.targets = targets
        self.sets = sets
        self.objects = objects
    }
}

extension RealmFile {
    package func rawClass(_ item: RealmFileClass) throws -> RawClass {
        let names = Dictionary(uniqueKeysWithValues: classes.map { ($0.number, $0.name) })
        let targets = item.properties.compactMap { property in property.target.map { (property.name, names[$0]!) } }
        return RawClass(
            name: item.name,
            number: item.number,
            isEmbedded: item.kind == .embedded,
            targets: Dictionary(uniqueKeysWithValues: targets),
            sets: Set(item.properties.filter { $0.collection == .set }.map(\.name)),
            objects: try objects(of: item)
        )
    }
}

/// The objects of a file without keys. A link is a text that names its target, and an embedded object is a dictionary
/// in its owner. The contents of two files can therefore be compared.
package struct ResolvedObjects {
    private let classes: [String: RawClass]
    private let names: [Int: String]
    private var values: [String: [Int64: [String: Value]]] = [:]

    package init(_ classes: [RawClass]) {
        self.classes = Dictionary(uniqueKeysWithValues: classes.map { ($0.name, $0) })
        names = Dictionary(uniqueKeysWithValues: classes.map { ($0.number, $0.name) })
        for item in classes { values[item.name] = Dictionary(uniqueKeysWithValues: item.objects.map { $0 }) }
    }

    /// The objects of a class by the property that names each.
    package func objects(of name: String) -> [String: [String: Value]] {
        guard let item = classes[name], let id = CaseTable.names[name] else { return [:] }
        return Dictionary(
            item.objects.map { ("\($0.values[id] ?? .null)", resolved($0.values, item)) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    private func resolved(_ values: [String: Value], _ item: RawClass) -> [String: Value] {
        Dictionary(
            uniqueKeysWithValues: values.map { name, value in
                var value = resolved(value, item.targets[name])
                // Each file has its own order.
                if item.sets.contains(name), case .list(let list) = value {
                    value = .list(NestedList(list.values.sorted { Value.compare($0, with: $1) < 0 }))
                }
                return (name, value)
            }
        )
    }

    private func resolved(_ value: Value, _ target: String?) -> Value {
        switch value {
        case .link(let key): link(target ?? "", key)
        case .objectLink(let link): self.link(names[link.tableID] ?? "", link.key)
        case .list(let list): .list(NestedList(list.values.map { resolved($0, target) }))
        case .dictionary(let dictionary):
            .dictionary(NestedDictionary(dictionary.entries.map { .init($0.key, resolved($0.value, target)) }))
        default: value
        }
    }

    private func link(_ name: String, _ key: ObjectKey) -> Value {
        guard let item = classes[name], let object = values[name]?[key.raw] else { return .string("nowhere") }
        if item.isEmbedded {
            return .dictionary(NestedDictionary(resolved(object, item).map { .init($0.key, $0.value) }))
        }
        return CaseTable.link(name, object[CaseTable.names[name] ?? ""] ?? .null)
    }
}

extension Value {
    /// Returns whether both values are equal to the last bit: 1.0 isn't 1.00, and 0 isn't -0.
    package static func areIdentical(_ a: Value, _ b: Value) -> Bool {
        switch (a, b) {
        case (.float(let a), .float(let b)): a.bitPattern == b.bitPattern || (a.isNaN && b.isNaN)
        case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern || (a.isNaN && b.isNaN)
        case (.decimal128(let a), .decimal128(let b)): a.lo == b.lo && a.hi == b.hi || (a.isNaN && b.isNaN)
        case (.list(let a), .list(let b)): a.values.elementsEqual(b.values, by: areIdentical)
        case (.dictionary(let a), .dictionary(let b)):
            a.entries.elementsEqual(b.entries) { $0.key == $1.key && areIdentical($0.value, $1.value) }
        default: a == b
        }
    }
}
