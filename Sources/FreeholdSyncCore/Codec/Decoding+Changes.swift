extension ColumnReader {
    func change(_ objects: ColumnReader) throws(CodecError) -> Change {
        let raw = try kind()
        guard let kind = ChangeKind(rawValue: raw) else { throw error(.unknownKind, "\(raw) isn't a kind of change") }
        let name = try objects.reference()
        switch kind {
        case .create:
            let (className, fields) = try self[.created].nextNamed()
            try check(className, name)
            return .create(name, try fields.newFields(depth: 0))
        case .delete: return .delete(name, .edit)
        case .cascade: return .delete(name, .cascade(of: try objects.reference()))
        default: break
        }
        let (place, group) = try self[.places].place(name)
        switch kind {
        case .set: return .set(place, try group.newValue(), .real)
        case .setByDefault: return .set(place, try group.newValue(), .byDefault)
        case .increment: return .increment(place, try group[.amounts].int())
        case .insert:
            let gap = try group.gap()
            return .insert(place, gap, first: try group[.made].word(), try group.newValues())
        case .remove: return .remove(place, try group.references())
        case .move:
            guard let element = try group[.references].elementReference() else {
                throw error(.invalidValue, "A move names no element")
            }
            let gap = try group.gap()
            return .move(place, element, gap, number: try group[.made].word())
        case .clearList: return .clearList(place, hidden: try group.references())
        case .assignList:
            let hidden = try group.references()
            let gap = try group.gap()
            return .assignList(place, hidden: hidden, gap, first: try group[.made].word(), try group.newValues())
        case .insertIntoSet: return .insertIntoSet(place, try group.newValues())
        case .removeFromSet: return .removeFromSet(place, try group.newValues())
        case .clearSet: return .clearSet(place, hidden: try group.newValues())
        case .assignSet:
            let hidden = try group.newValues()
            return .assignSet(place, hidden: hidden, try group.newValues())
        case .removeEntry: return .removeEntry(place)
        case .clearDictionary: return .clearDictionary(place, hidden: try group.texts())
        case .assignDictionary:
            let hidden = try group.texts()
            guard case .dictionary(let value) = try group.newValue() else {
                throw error(.invalidValue, "A dictionary is something else")
            }
            return .assignDictionary(place, hidden: hidden, value)
        case .create, .delete, .cascade: throw error(.unknownKind, "The change has no place")
        }
    }

    private func check(_ className: SyncString, _ name: ObjectName) throws(CodecError) {
        guard className == name.className else { throw error(.invalidValue, "An object is of two classes") }
    }

    private func newValue() throws(CodecError) -> SyncValue { try self[.values].value(hasEmbedded: true, depth: 0) }

    private func newValues() throws(CodecError) -> [SyncValue] { try values(hasEmbedded: true, depth: 0) }

    func place(_ object: ObjectName) throws(CodecError) -> (Place, ColumnReader) {
        let (className, group) = try nextNamed()
        try check(className, object)
        guard let (property, fields) = try group.nextNamedOrNone() else {
            let elsewhere = group[.elsewhere]
            return (Place(object, try elsewhere.steps([])), elsewhere)
        }
        return (Place(object, try fields.steps([.property(property)])), fields)
    }

    private func steps(_ first: [Place.Step]) throws(CodecError) -> [Place.Step] {
        let count = try number()
        guard count > 0 else { return first }
        var path = first
        let steps = self[.steps]
        path.reserveCapacity(min(count, steps.kindsLeft) + 1)
        for _ in 0..<count {
            let raw = try steps.kind()
            guard let kind = StepKind(rawValue: raw) else { throw error(.unknownKind, "\(raw) isn't a kind of step") }
            switch kind {
            case .property: path.append(.property(try steps.text()))
            case .confirmedElement: path.append(.element(.confirmed(Int(try steps.int()))))
            case .ownElement: path.append(.element(.own(try steps[.made].word())))
            case .madeElement:
                let version = try steps[.made].word()
                path.append(.element(.made(Made(version: version, number: try steps[.made].word()))))
            case .entry: path.append(.entry(try steps.text()))
            case .knownInstance: path.append(.instance(.known))
            case .confirmedInstance: path.append(.instance(.confirmed))
            case .ownInstance: path.append(.instance(.own(try steps[.made].word())))
            case .nested: path.append(.nested(try steps.text()))
            }
        }
        return path
    }

    private func texts() throws(CodecError) -> [SyncString] {
        let count = try number()
        let keys = self[.keys]
        var texts: [SyncString] = []
        for _ in 0..<count { texts.append(try keys.text()) }
        return texts
    }

    private func references() throws(CodecError) -> [ElementReference] {
        let count = try number()
        let group = self[.references]
        var references: [ElementReference] = []
        references.reserveCapacity(min(count, group.kindsLeft))
        for _ in 0..<count {
            guard let reference = try group.elementReference() else {
                throw error(.invalidValue, "A reference names no element")
            }
            references.append(reference)
        }
        return references
    }

    private func gap() throws(CodecError) -> Gap {
        let group = self[.references]
        return Gap(after: try group.elementReference(), before: try group.elementReference())
    }

    private func elementReference() throws(CodecError) -> ElementReference? {
        switch try kind() {
        case 0: return nil
        case 1: return .confirmed(Int(try int()))
        case 2: return .own(try self[.made].word())
        case 3:
            let version = try self[.made].word()
            return .made(Made(version: version, number: try self[.made].word()))
        case let raw: throw error(.unknownKind, "\(raw) isn't a kind of reference")
        }
    }
}
