/// The kind of an object's update. The raw values are part of the protocol.
enum UpdateKind: UInt8 {
    case whole = 0
    case difference = 1
    case present = 2
    case erased = 3
}

/// The kind of a run of elements in a list. The raw values are part of the protocol.
enum RunKind: UInt8 {
    case kept = 0
    /// Elements without numbers.
    case plain = 1
    case rising = 2
    case falling = 3
}

extension ColumnWriter {
    func batches(_ batches: [ClassBatch]) throws(CodecError) {
        guard !batches.isEmpty else { return }
        try record(batches, name: \.className) { (batch, group) throws(CodecError) in
            group.number(batch.objects.count)
            let keys = group[.keys]
            for object in batch.objects {
                try keys.key(object.key)
                try group.update(object.content)
                if !object.contested.isEmpty { group.contested(object.contested) }
            }
        }
    }

    private func update(_ content: ObjectUpdate.Content) throws(CodecError) {
        switch content {
        case .whole(let version, let born, let fields):
            kinds.append(UpdateKind.whole.rawValue)
            int(version)
            self[.born].int(version &- born)
            try self[.whole].confirmedFields(fields, depth: 0)
        case .difference(let version, let base, let fields):
            kinds.append(UpdateKind.difference.rawValue)
            int(version)
            self[.base].int(version &- base)
            try self[.difference].differences(fields, depth: 0)
        case .present(let version):
            kinds.append(UpdateKind.present.rawValue)
            int(version)
        case .erased: kinds.append(UpdateKind.erased.rawValue)
        }
    }

    private func contested(_ fields: [ContestedField]) {
        let group = rare(.contested)
        group.number(fields.count)
        for field in fields {
            group.text(field.name)
            group.int(field.version)
        }
    }

    // MARK: Whole objects

    func confirmedFields(_ fields: [ConfirmedField], depth: Int) throws(CodecError) {
        try record(fields, name: \.name) { (field, group) throws(CodecError) in
            try group.confirmed(field.content, depth: depth)
        }
    }

    private func confirmed(_ content: ConfirmedContent, depth: Int) throws(CodecError) {
        switch content {
        case .value(let value): try self.value(value, depth: depth)
        case .embedded(let instance):
            kind(.embedded)
            let group = self[.instance]
            group.kinds.append(instance.made == nil ? 0 : 1)
            if let made = instance.made { group.made(made) }
            try group[.fields].confirmedFields(instance.fields, depth: below(depth))
        case .list(let runs):
            kind(.list)
            let group = self[.list]
            group.number(runs.count)
            for run in runs { try group.run(run, depth: below(depth)) }
        case .set(let values):
            kind(.set)
            try self[.set].plainValues(values, depth: below(depth))
        case .dictionary(let entries):
            kind(.dictionary)
            let group = self[.dictionary]
            group.number(entries.count)
            let (keys, values) = (group[.keys], group[.values])
            for entry in entries {
                keys.text(entry.key)
                try values.element(entry.content, depth: below(depth))
            }
        }
    }

    private func made(_ made: Made) {
        int(made.version)
        self[.second].int(made.number)
    }

    private func run(_ run: ElementRun, depth: Int) throws(CodecError) {
        let kind: RunKind = run.made == nil ? .plain : run.isFalling ? .falling : .rising
        if run.made == nil, run.isFalling {
            throw CodecError(.invalidValue, "The numbers of elements fall that have no numbers")
        }
        kinds.append(kind.rawValue)
        if let made = run.made { self.made(made) }
        if let origin = run.origin { rare(.origins).made(origin) }
        number(run.elements.count)
        let group = self[.values]
        for element in run.elements { try group.element(element, depth: depth) }
    }

    /// Writes a value or an embedded object.
    private func element(_ content: ConfirmedContent, depth: Int) throws(CodecError) {
        switch content {
        case .value, .embedded: try confirmed(content, depth: depth)
        default: throw CodecError(.invalidValue, "A collection is in a collection")
        }
    }

    /// Writes values of kinds that a set supports.
    private func plainValues(_ values: [SyncValue], depth: Int) throws(CodecError) {
        for value in values where value.kind.rawValue >= ValueKind.mixedList.rawValue {
            throw CodecError(.invalidValue, "A value is in a set that can't be in one")
        }
        try self.values(values, depth: depth)
    }

    // MARK: Differences

    private func differences(_ fields: [FieldDifference], depth: Int) throws(CodecError) {
        try record(fields, name: \.name) { (field, group) throws(CodecError) in
            try group.difference(field.content, depth: depth)
        }
    }

    /// - Parameter isElement: A Boolean value that indicates whether the difference is about an element or an entry,
    ///   which can't be a collection.
    private func difference(_ content: ContentDifference, isElement: Bool = false, depth: Int) throws(CodecError) {
        switch content {
        case .whole(let content):
            if isElement { try element(content, depth: depth) } else { try confirmed(content, depth: depth) }
        case .instance(let fields):
            kind(.instanceDifference)
            try self[.fields].differences(fields, depth: below(depth))
        case .nested(let differences):
            kind(.nestedDifference)
            let group = self[.nested]
            group.number(differences.count)
            let (keys, values) = (group[.keys], group[.values])
            for difference in differences {
                group.number(difference.path.count)
                for key in difference.path { keys.text(key) }
                if let value = difference.value {
                    try values.value(value, depth: below(depth))
                } else {
                    values.kind(.gone)
                }
            }
        case .list, .set, .dictionary:
            guard !isElement else { throw CodecError(.invalidValue, "A collection is in a collection") }
            try difference(ofCollection: content, depth: below(depth))
        }
    }

    private func difference(ofCollection content: ContentDifference, depth: Int) throws(CodecError) {
        switch content {
        case .list(let difference):
            kind(.listDifference)
            let group = self[.listDifference]
            group.number(difference.pieces.count)
            for piece in difference.pieces {
                switch piece {
                case .kept(let start, let count):
                    group.kinds.append(RunKind.kept.rawValue)
                    group.number(start)
                    group.number(count)
                case .new(let run): try group.run(run, depth: depth)
                }
            }
            group.number(difference.edits.count)
            let edits = group[.edits]
            for edit in difference.edits {
                group.number(edit.index)
                try edits.difference(edit.content, isElement: true, depth: depth)
            }
        case .set(let difference):
            kind(.setDifference)
            let group = self[.setDifference]
            try group.plainValues(difference.removed, depth: depth)
            try group.plainValues(difference.inserted, depth: depth)
        case .dictionary(let difference):
            kind(.dictionaryDifference)
            let group = self[.dictionaryDifference]
            group.number(difference.removed.count)
            group.number(difference.changed.count)
            let (keys, edits) = (group[.keys], group[.edits])
            for key in difference.removed { keys.text(key) }
            for entry in difference.changed {
                keys.text(entry.key)
                try edits.difference(entry.content, isElement: true, depth: depth)
            }
        case .whole, .instance, .nested: break
        }
    }
}
