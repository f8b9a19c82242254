extension ColumnReader {
    func batches() throws(CodecError) -> [ClassBatch] {
        try record { (className, group) throws(CodecError) in
            let count = try group.number()
            let keys = group[.keys]
            var objects: [ObjectUpdate] = []
            objects.reserveCapacity(min(count, group.kindsLeft))
            for _ in 0..<count {
                let key = try keys.key()
                let content = try group.update()
                objects.append(ObjectUpdate(key, content, contested: try group.contested()))
            }
            return ClassBatch(className: className, objects: objects)
        }
    }

    private func update() throws(CodecError) -> ObjectUpdate.Content {
        let raw = try kind()
        guard let kind = UpdateKind(rawValue: raw) else { throw error(.unknownKind, "\(raw) isn't a kind of update") }
        switch kind {
        case .whole:
            let version = try word()
            let born = version &- (try self[.born].word())
            return .whole(version: version, born: born, try self[.whole].confirmedFields(depth: 0))
        case .difference:
            let version = try word()
            let base = version &- (try self[.base].word())
            return .difference(version: version, base: base, try self[.difference].differences(depth: 0))
        case .present: return .present(version: try word())
        case .erased: return .erased
        }
    }

    private func contested() throws(CodecError) -> [ContestedField] {
        guard let group = try rare(.contested) else { return [] }
        var fields: [ContestedField] = []
        for _ in 0..<(try group.boundedNumber()) {
            let name = try group.text()
            fields.append(ContestedField(name, version: try group.word()))
        }
        return fields
    }

    // MARK: Whole objects

    private func confirmedFields(depth: Int) throws(CodecError) -> [ConfirmedField] {
        try record { (name, group) throws(CodecError) in ConfirmedField(name, try group.confirmed(depth: depth)) }
    }

    private func confirmed(depth: Int) throws(CodecError) -> ConfirmedContent {
        try confirmed(valueKind(kind()), depth: depth)
    }

    private func confirmed(_ kind: ValueKind, depth: Int) throws(CodecError) -> ConfirmedContent {
        switch kind {
        case .embedded:
            let group = self[.instance]
            let made: Made?
            switch try group.kind() {
            case 0: made = nil
            case 1: made = try group.made()
            case let raw: throw error(.unknownKind, "\(raw) isn't a kind of instance")
            }
            let fields = try group[.fields].confirmedFields(depth: below(depth))
            return .embedded(ConfirmedInstance(made: made, fields: fields))
        case .list:
            let group = self[.list]
            let count = try group.number()
            var runs: [ElementRun] = []
            runs.reserveCapacity(min(count, group.kindsLeft))
            for _ in 0..<count {
                guard let run = try group.run(group.runKind(), depth: below(depth)) else {
                    throw error(.invalidValue, "A whole list keeps elements")
                }
                runs.append(run)
            }
            return .list(runs)
        case .set: return .set(try self[.set].plainValues(depth: below(depth)))
        case .dictionary:
            let group = self[.dictionary]
            let count = try group.number()
            let (keys, values) = (group[.keys], group[.values])
            var entries: [ConfirmedEntry] = []
            entries.reserveCapacity(min(count, values.kindsLeft))
            for _ in 0..<count {
                let key = try keys.text()
                entries.append(ConfirmedEntry(key, try values.element(depth: below(depth))))
            }
            return .dictionary(entries)
        default: return .value(try value(kind, depth: depth))
        }
    }

    private func made() throws(CodecError) -> Made { Made(version: try word(), number: try self[.second].word()) }

    private func runKind() throws(CodecError) -> RunKind {
        let raw = try kind()
        guard let kind = RunKind(rawValue: raw) else { throw error(.unknownKind, "\(raw) isn't a kind of run") }
        return kind
    }

    /// Reads a run of elements. Returns `nil` for elements that are kept.
    private func run(_ kind: RunKind, depth: Int) throws(CodecError) -> ElementRun? {
        if kind == .kept { return nil }
        let made = kind == .plain ? nil : try made()
        let origin = try rare(.origins)?.made()
        let count = try number()
        let group = self[.values]
        var elements: [ConfirmedContent] = []
        elements.reserveCapacity(min(count, group.kindsLeft))
        for _ in 0..<count { elements.append(try group.element(depth: depth)) }
        return ElementRun(made: made, origin: origin, isFalling: kind == .falling, elements)
    }

    private func element(depth: Int) throws(CodecError) -> ConfirmedContent {
        try element(valueKind(kind()), depth: depth)
    }

    private func element(_ kind: ValueKind, depth: Int) throws(CodecError) -> ConfirmedContent {
        guard kind.rawValue <= ValueKind.embedded.rawValue else {
            throw error(.invalidValue, "A collection is in a collection")
        }
        return try confirmed(kind, depth: depth)
    }

    private func plainValues(depth: Int) throws(CodecError) -> [SyncValue] {
        let values = try values(depth: depth)
        for value in values where value.kind.rawValue >= ValueKind.mixedList.rawValue {
            throw error(.invalidValue, "A value is in a set that can't be in one")
        }
        return values
    }

    // MARK: Differences

    private func differences(depth: Int) throws(CodecError) -> [FieldDifference] {
        try record { (name, group) throws(CodecError) in FieldDifference(name, try group.difference(depth: depth)) }
    }

    private func difference(isElement: Bool = false, depth: Int) throws(CodecError) -> ContentDifference {
        let kind = try valueKind(kind())
        switch kind {
        case .instanceDifference: return .instance(try self[.fields].differences(depth: below(depth)))
        case .nestedDifference: return .nested(try self[.nested].nestedDifferences(depth: below(depth)))
        case .listDifference, .setDifference, .dictionaryDifference:
            guard !isElement else { throw error(.invalidValue, "A collection is in a collection") }
            switch kind {
            case .listDifference: return .list(try self[.listDifference].listDifference(depth: below(depth)))
            case .setDifference:
                let group = self[.setDifference]
                let removed = try group.plainValues(depth: below(depth))
                return .set(SetDifference(removed: removed, inserted: try group.plainValues(depth: below(depth))))
            default: return .dictionary(try self[.dictionaryDifference].dictionaryDifference(depth: below(depth)))
            }
        default: return .whole(try isElement ? element(kind, depth: depth) : confirmed(kind, depth: depth))
        }
    }

    private func nestedDifferences(depth: Int) throws(CodecError) -> [NestedDifference] {
        let count = try number()
        let (keys, values) = (self[.keys], self[.values])
        var differences: [NestedDifference] = []
        differences.reserveCapacity(min(count, values.kindsLeft))
        for _ in 0..<count {
            var path: [SyncString] = []
            for _ in 0..<(try number()) { path.append(try keys.text()) }
            let kind = try values.valueKind(values.kind())
            differences.append(
                NestedDifference(path: path, value: kind == .gone ? nil : try values.value(kind, depth: depth))
            )
        }
        return differences
    }

    private func listDifference(depth: Int) throws(CodecError) -> ListDifference {
        let count = try number()
        var pieces: [ListDifference.Piece] = []
        pieces.reserveCapacity(min(count, kindsLeft))
        for _ in 0..<count {
            if let run = try run(runKind(), depth: depth) {
                pieces.append(.new(run))
            } else {
                pieces.append(.kept(start: try number(), count: try number()))
            }
        }
        let editCount = try number()
        let group = self[.edits]
        var edits: [ListDifference.Edit] = []
        edits.reserveCapacity(min(editCount, group.kindsLeft))
        for _ in 0..<editCount {
            let index = try number()
            edits.append(
                ListDifference.Edit(index: index, content: try group.difference(isElement: true, depth: depth))
            )
        }
        return ListDifference(pieces: pieces, edits: edits)
    }

    private func dictionaryDifference(depth: Int) throws(CodecError) -> DictionaryDifference {
        let (removedCount, changedCount) = (try number(), try number())
        let (keys, edits) = (self[.keys], self[.edits])
        var difference = DictionaryDifference()
        for _ in 0..<removedCount { difference.removed.append(try keys.text()) }
        difference.changed.reserveCapacity(min(changedCount, edits.kindsLeft))
        for _ in 0..<changedCount {
            let key = try keys.text()
            difference.changed.append(.init(key, try edits.difference(isElement: true, depth: depth)))
        }
        return difference
    }
}
