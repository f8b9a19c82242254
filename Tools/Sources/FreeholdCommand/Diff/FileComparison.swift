import Foundation
import Freehold

/// A comparison of two files: their schemas, then the objects of each class.
final class FileComparison {
    private let first: Realm
    private let second: Realm
    let output: DifferenceOutput

    init(_ first: Realm, and second: Realm, output: DifferenceOutput) {
        self.first = first
        self.second = second
        self.output = output
    }

    /// Compares the files.
    ///
    /// - Parameter only: The classes, or none for all.
    /// - Throws: `Failure` for a class that neither file has.
    func run(only: [String], schemaOnly: Bool) throws {
        do {
            try compare(only, schemaOnly)
        } catch is DifferenceOutput.Enough {}
    }

    private func compare(_ only: [String], _ schemaOnly: Bool) throws {
        let (a, b) = (first.storedSchema, second.storedSchema)
        for name in only where a[name] == nil { _ = try b.requireClass(name) }
        let names = Self.merged(a.objectSchema.map(\.className), with: b.objectSchema.map(\.className))
            .filter { only.isEmpty || only.contains($0) }
        if only.isEmpty, first.storedSchemaVersion != second.storedSchemaVersion {
            try output.add(schema: "version", "\(first.storedSchemaVersion)", second: "\(second.storedSchemaVersion)")
        }
        for name in names { try SchemaComparison(output).compare(a[name], with: b[name]) }
        if schemaOnly { return }
        for name in names { try compareObjects(a[name], with: b[name]) }
    }

    /// Returns the names of both, with those of the first in its order.
    private static func merged(_ a: [String], with b: [String]) -> [String] {
        let known = Set(a)
        return a + b.filter { !known.contains($0) }
    }

    // MARK: Objects

    private func compareObjects(_ a: ObjectSchema?, with b: ObjectSchema?) throws {
        guard let a, let b else {
            if let a { try tellAll(of: a, .delete, first) }
            if let b { try tellAll(of: b, .insert, second) }
            return
        }
        if a.isEmbedded || b.isEmbedded || a.isAsymmetric || b.isAsymmetric { return }
        // For other properties, the difference of the schemas is reported.
        let names = a.properties.filter { property in
            guard let other = b[property.name] else { return false }
            return property.isComparable(with: other)
        }.map(\.name)
        if let key = a.primaryKeyProperty, let other = b.primaryKeyProperty, key.name == other.name,
            key.type == other.type
        {
            try compareByKey(a, with: b, names: names)
        } else {
            try ContentComparison(first, of: a, and: second, of: b, names: names, output: output).run()
        }
    }

    private func tellAll(of object: ObjectSchema, _ kind: ObjectChange.Kind, _ realm: Realm) throws {
        if object.isEmbedded || object.isAsymmetric { return }
        let reader = ObjectReader(object)
        for (i, item) in realm.dynamicObjects(object.className).enumerated() {
            try output.add(try ObjectChange(kind, reader, object: item))
            show(object, i)
        }
    }

    private func compareByKey(_ a: ObjectSchema, with b: ObjectSchema, names: [String]) throws {
        let (readerA, readerB) = (ContentReader(a, names, in: first), ContentReader(b, names, in: second))
        let key = a.primaryKeyProperty!.name
        for (i, item) in first.dynamicObjects(a.className).enumerated() {
            show(a, i)
            guard let other = second.dynamicObject(ofType: b.className, forPrimaryKey: item[key] as Any) else {
                try output.add(try ObjectChange(.delete, ObjectReader(a), object: item))
                continue
            }
            let (before, after) = (try readerA.cells(of: item), try readerB.cells(of: other))
            if before == after { continue }
            if let change = try ObjectChange(ObjectReader(a, names), item, before: before, after: after) {
                try output.add(change)
            }
        }
        for (i, item) in second.dynamicObjects(b.className).enumerated() {
            show(b, i)
            if first.dynamicObject(ofType: a.className, forPrimaryKey: item[key] as Any) == nil {
                try output.add(try ObjectChange(.insert, ObjectReader(b), object: item))
            }
        }
    }

    private func show(_ object: ObjectSchema, _ i: Int) {
        if i % 1000 == 999 {
            Progress.show("\(TerminalText.escaped(object.className)): \(Units.grouped(i + 1)) objects")
        }
    }
}

extension Property {
    /// Returns a Boolean value that indicates whether values of both properties have the same kind.
    fileprivate func isComparable(with other: Property) -> Bool {
        type == other.type && collection == other.collection && objectClassName == other.objectClassName
    }
}

/// A comparison of the descriptions of a class in two files.
struct SchemaComparison {
    private let output: DifferenceOutput

    init(_ output: DifferenceOutput) { self.output = output }

    func compare(_ a: ObjectSchema?, with b: ObjectSchema?) throws {
        guard let a, let b else {
            let name = (a ?? b)?.className ?? ""
            return try output.add(schema: name, a.map { Self.text($0) }, second: b.map { Self.text($0) })
        }
        let (kindA, kindB) = (Self.kind(a), Self.kind(b))
        if kindA != kindB { try output.add(schema: a.className, kindA, second: kindB) }
        for property in a.properties {
            let text = TypeText.of(property)
            let other = b.properties.first { $0.name == property.name }.map { TypeText.of($0) }
            if other != text { try output.add(schema: "\(a.className).\(property.name)", text, second: other) }
        }
        for property in b.properties where !a.properties.contains(where: { $0.name == property.name }) {
            try output.add(schema: "\(b.className).\(property.name)", nil, second: TypeText.of(property))
        }
        let (indexesA, indexesB) = (a.compoundIndexes.map { "\($0)" }, b.compoundIndexes.map { "\($0)" })
        for index in indexesA where !indexesB.contains(index) {
            try output.add(schema: a.className, index, second: nil)
        }
        for index in indexesB where !indexesA.contains(index) {
            try output.add(schema: b.className, nil, second: index)
        }
    }

    private static func kind(_ object: ObjectSchema) -> String {
        object.isEmbedded ? "an embedded class" : object.isAsymmetric ? "an asymmetric class" : "a class"
    }

    private static func text(_ object: ObjectSchema) -> String {
        "\(kind(object)) of \(Units.count(object.properties.count, "property", plural: "properties"))"
    }
}
