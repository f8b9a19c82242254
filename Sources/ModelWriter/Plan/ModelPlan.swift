import FreeholdEngine

/// Classes as one language will have them: names for code, and what can't be said.
struct ModelPlan {
    var classes: [PlannedClass]
    let options: ModelOptions
    let names: NameRules

    /// Those that are written.
    var written: [PlannedClass] { classes.filter { $0.omission == nil } }

    var notes: [ModelNote] { classes.flatMap(\.notes) }
}

/// A class.
struct PlannedClass {
    let table: TableSpec
    /// In code.
    let name: String
    var properties: [PlannedProperty]
    var inverses: [PlannedInverse]
    /// Why the class is left out.
    var omission: String?
    /// What isn't said of the class.
    var remarks: [String] = []

    var isMapped: Bool { name != table.name }
    var key: PlannedProperty? { said.first(where: \.isKey) }
    /// The properties that are written.
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

    /// The comment that stands for the class.
    var omissionComment: String? {
        omission.map { "The class '\(SourceText.printable(table.name))' is left out. \($0)" }
    }
}

/// A stored property.
struct PlannedProperty {
    let column: ColumnSpec
    /// In code.
    let name: String
    let isKey: Bool
    /// That which is said.
    var index: IndexKind
    /// Of links.
    let target: PlannedTarget?
    var omission: String?
    var remarks: [String] = []

    var type: ColumnType { column.type }
    var collection: CollectionKind { column.collection }
    var isMapped: Bool { name != column.name }
    var isLink: Bool { type == .link }

    /// Whether a value, or an element, may be null. A link may where it stands alone and in dictionaries, a mixed value always.
    var isOptional: Bool {
        switch type {
        case .link: collection == .none || collection == .dictionary
        case .mixed: true
        default: column.isOptional
        }
    }

    /// The comment that stands for the property, or the comments above it.
    var comments: [String] {
        omission.map { ["'\(SourceText.printable(column.name))' is left out. \($0)"] } ?? remarks
    }
}

/// What a link leads to.
struct PlannedTarget {
    /// As stored.
    let stored: String
    /// In code.
    let name: String
    let isEmbedded: Bool
}

/// An inverse relationship.
struct PlannedInverse {
    let asked: ModelInverse
    /// In code.
    let name: String
    /// The class that links here, in code.
    let originName: String
    /// Its property, in code.
    let originProperty: String
    let originCollection: CollectionKind
    /// What a deletion of an object does to those that link to it.
    let deleteRule: DeleteRule
    var omission: String?

    var comments: [String] {
        omission.map { ["'\(SourceText.printable(asked.name))' is left out. \($0)"] } ?? []
    }
}
