import FreeholdEngine

/// Classes in the form of one language: names for code, and the parts that can't be represented.
struct ModelPlan {
    var classes: [PlannedClass]
    let options: ModelOptions
    let names: NameRules

    /// The classes that aren't omitted.
    var written: [PlannedClass] { classes.filter { $0.omission == nil } }

    var notes: [ModelNote] { classes.flatMap(\.notes) }
}

/// A class.
struct PlannedClass {
    let table: TableSpec
    /// The name in code.
    let name: String
    var properties: [PlannedProperty]
    var inverses: [PlannedInverse]
    /// The reason why the class is omitted.
    var omission: String?
    /// The parts of the class that can't be represented.
    var remarks: [String] = []

    var isMapped: Bool { name != table.name }
    var key: PlannedProperty? { said.first(where: \.isKey) }
    /// The properties that aren't omitted.
    var said: [PlannedProperty] { properties.filter { $0.omission == nil } }
    var saidInverses: [PlannedInverse] { inverses.filter { $0.omission == nil } }

    var notes: [ModelNote] {
        if let omission { return [ModelNote(className: table.name, property: nil, text: omission)] }
        var notes = remarks.map { ModelNote(className: table.name, property: nil, text: $0) }
        for property in properties {
            for text in (property.omission.map { [$0] } ?? property.remarks) {
                notes.append(ModelNote(className: table.name, property: property.column.name, text: text))
            }
        }
        for inverse in inverses {
            guard let text = inverse.omission else { continue }
            notes.append(ModelNote(className: table.name, property: inverse.asked.name, text: text))
        }
        return notes
    }

    /// The comment instead of the class.
    var omissionComment: String? {
        omission.map { "The class '\(SourceText.printable(table.name))' is left out. \($0)" }
    }
}

/// A stored property.
struct PlannedProperty {
    let column: ColumnSpec
    /// The name in code.
    let name: String
    let isKey: Bool
    /// The index, if it can be represented.
    var index: IndexKind
    /// The target, for links.
    let target: PlannedTarget?
    var omission: String?
    var remarks: [String] = []

    var type: ColumnType { column.type }
    var collection: CollectionKind { column.collection }
    var isMapped: Bool { name != column.name }
    var isLink: Bool { type == .link }

    /// A Boolean value that indicates whether a value, or an element, can be null. A single link and a link in a
    /// dictionary can be, and a mixed value always can.
    var isOptional: Bool {
        switch type {
        case .link: collection == .none || collection == .dictionary
        case .mixed: true
        default: column.isOptional
        }
    }

    /// The comment instead of the property, or the comments above it.
    var comments: [String] {
        omission.map { ["'\(SourceText.printable(column.name))' is left out. \($0)"] } ?? remarks
    }
}

/// The target of a link.
struct PlannedTarget {
    /// The stored name.
    let stored: String
    /// The name in code.
    let name: String
    let isEmbedded: Bool
}

/// An inverse relationship.
struct PlannedInverse {
    let asked: ModelInverse
    /// The name in code.
    let name: String
    /// The name in code of the class with the link.
    let originName: String
    /// The name in code of the link.
    let originProperty: String
    let originCollection: CollectionKind
    /// The action on the objects that link to a deleted object.
    let deleteRule: DeleteRule
    var omission: String?

    var comments: [String] {
        omission.map { ["'\(SourceText.printable(asked.name))' is left out. \($0)"] } ?? []
    }
}
