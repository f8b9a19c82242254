/// The kind of a change. The raw values are part of the protocol.
enum ChangeKind: UInt8 {
    case create = 0
    case delete = 1
    case cascade = 2
    case set = 3
    case setByDefault = 4
    case increment = 5
    case insert = 6
    case remove = 7
    case move = 8
    case clearList = 9
    case assignList = 10
    case insertIntoSet = 11
    case removeFromSet = 12
    case clearSet = 13
    case assignSet = 14
    case removeEntry = 15
    case clearDictionary = 16
    case assignDictionary = 17
}

/// The kind of a step of a place. The raw values are part of the protocol.
enum StepKind: UInt8 {
    case property = 0
    case confirmedElement = 1
    case ownElement = 2
    case entry = 3
    case confirmedInstance = 4
    case ownInstance = 5
    case nested = 6
    case madeElement = 7
    case knownInstance = 8
}

extension Change {
    var kind: ChangeKind {
        switch self {
        case .create: .create
        case .delete(_, .edit): .delete
        case .delete(_, .cascade): .cascade
        case .set(_, _, .real): .set
        case .set(_, _, .byDefault): .setByDefault
        case .increment: .increment
        case .insert: .insert
        case .remove: .remove
        case .move: .move
        case .clearList: .clearList
        case .assignList: .assignList
        case .insertIntoSet: .insertIntoSet
        case .removeFromSet: .removeFromSet
        case .clearSet: .clearSet
        case .assignSet: .assignSet
        case .removeEntry: .removeEntry
        case .clearDictionary: .clearDictionary
        case .assignDictionary: .assignDictionary
        }
    }
}

extension ColumnWriter {
    /// - Parameter objects: The group in which objects are named.
    func change(_ change: Change, _ objects: ColumnWriter) throws(CodecError) {
        kinds.append(change.kind.rawValue)
        try objects.reference(change.object)
        switch change {
        case .create(let name, let fields): try self[.created].named(name.className).newFields(fields, depth: 0)
        case .delete(_, .edit): break
        case .delete(_, .cascade(let cause)): try objects.reference(cause)
        case .set(let place, let value, _):
            try group(of: place)[.values].value(value, hasEmbedded: true, depth: 0)
        case .increment(let place, let number): group(of: place)[.amounts].int(number)
        case .insert(let place, let gap, let first, let values):
            let group = group(of: place)
            group.gap(gap)
            group[.made].int(first)
            try group.values(values, hasEmbedded: true, depth: 0)
        case .remove(let place, let elements): group(of: place).references(elements)
        case .move(let place, let element, let gap, let number):
            let group = group(of: place)
            group[.references].elementReference(element)
            group.gap(gap)
            group[.made].int(number)
        case .clearList(let place, let hidden): group(of: place).references(hidden)
        case .assignList(let place, let hidden, let gap, let first, let values):
            let group = group(of: place)
            group.references(hidden)
            group.gap(gap)
            group[.made].int(first)
            try group.values(values, hasEmbedded: true, depth: 0)
        case .insertIntoSet(let place, let values), .removeFromSet(let place, let values),
            .clearSet(let place, let values):
            try group(of: place).values(values, hasEmbedded: true, depth: 0)
        case .assignSet(let place, let hidden, let values):
            let group = group(of: place)
            try group.values(hidden, hasEmbedded: true, depth: 0)
            try group.values(values, hasEmbedded: true, depth: 0)
        case .removeEntry(let place): _ = group(of: place)
        case .clearDictionary(let place, let hidden): group(of: place).texts(hidden)
        case .assignDictionary(let place, let hidden, let value):
            let group = group(of: place)
            group.texts(hidden)
            try group[.values].value(.dictionary(value), hasEmbedded: true, depth: 0)
        }
    }

    /// Returns the group of the place's property, and writes the further steps to it.
    private func group(of place: Place) -> ColumnWriter { self[.places].place(place) }

    /// Like `group(of:)`, called on the group of places.
    func place(_ place: Place) -> ColumnWriter {
        let group = named(place.object.className)
        guard case .property(let name)? = place.path.first else {
            group.int(Int64(-1))
            group[.elsewhere].steps(place.path[...])
            return group[.elsewhere]
        }
        let property = group.named(name)
        property.steps(place.path.dropFirst())
        return property
    }

    private func steps(_ path: ArraySlice<Place.Step>) {
        number(path.count)
        guard !path.isEmpty else { return }
        let steps = self[.steps]
        for step in path {
            switch step {
            case .property(let name):
                steps.kinds.append(StepKind.property.rawValue)
                steps.text(name)
            case .element(.confirmed(let index)):
                steps.kinds.append(StepKind.confirmedElement.rawValue)
                steps.int(Int64(index))
            case .element(.own(let number)):
                steps.kinds.append(StepKind.ownElement.rawValue)
                steps[.made].int(number)
            case .element(.made(let made)):
                steps.kinds.append(StepKind.madeElement.rawValue)
                steps[.made].int(made.version)
                steps[.made].int(made.number)
            case .entry(let key):
                steps.kinds.append(StepKind.entry.rawValue)
                steps.text(key)
            case .instance(.known): steps.kinds.append(StepKind.knownInstance.rawValue)
            case .instance(.confirmed): steps.kinds.append(StepKind.confirmedInstance.rawValue)
            case .instance(.own(let number)):
                steps.kinds.append(StepKind.ownInstance.rawValue)
                steps[.made].int(number)
            case .nested(let key):
                steps.kinds.append(StepKind.nested.rawValue)
                steps.text(key)
            }
        }
    }

    private func texts(_ texts: [SyncString]) {
        number(texts.count)
        let keys = self[.keys]
        for text in texts { keys.text(text) }
    }

    private func references(_ references: [ElementReference]) {
        number(references.count)
        let group = self[.references]
        for reference in references { group.elementReference(reference) }
    }

    private func gap(_ gap: Gap) {
        let group = self[.references]
        group.elementReference(gap.after)
        group.elementReference(gap.before)
    }

    /// Writes 0 for `nil`, 1 for a confirmed element, 2 for an element of the author, and 3 for an element of a commit.
    private func elementReference(_ reference: ElementReference?) {
        switch reference {
        case nil: kinds.append(0)
        case .confirmed(let index):
            kinds.append(1)
            int(Int64(index))
        case .own(let number):
            kinds.append(2)
            self[.made].int(number)
        case .made(let made):
            kinds.append(3)
            self[.made].int(made.version)
            self[.made].int(made.number)
        }
    }
}
