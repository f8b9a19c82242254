extension MergedObject {
    /// Returns the difference from the version that a session has. That version must belong to this incarnation, and
    /// must not be before the horizon, unless nothing has changed between that version and the horizon.
    ///
    /// - Parameter old: The contents at that version, if they are known. Without them, the result can contain more than
    ///   the actual difference.
    func difference(
        since base: StreamVersion,
        old: [SyncString: MergedContent]? = nil,
        _ mask: FieldMask? = nil
    ) -> ObjectUpdate.Content {
        let fields = record.differences(since: base, old: old)
        return .difference(version: version(mask), base: base, mask?.shown(fields) ?? fields)
    }

    /// Returns the difference for a session that was shown other fields at the version that it has.
    ///
    /// - Parameter shown: The fields that the session was shown. `nil` if they are unknown. Then the result contains
    ///   everything that the session may see.
    func difference(since base: StreamVersion, shown: FieldMask?, _ mask: FieldMask?) -> ObjectUpdate.Content {
        let (old, new) = (shown ?? .none, mask ?? .all)
        var fields: [FieldDifference] = []
        for entry in record.fields {
            let (name, field) = (entry.name, entry.value)
            let (before, after) = (old.ofObject(name), new.ofObject(name))
            guard after.showsSome else {
                if shown == nil || before.showsSome { fields.append(FieldDifference(name, .whole(field.nothing))) }
                continue
            }
            let difference =
                before == after
                ? field.difference(since: base, record.base, nil)
                : .whole(field.confirmed(record.base) ?? field.nothing)
            if let difference { fields += new.shown([FieldDifference(name, difference)]) }
        }
        return .difference(version: version(mask), base: base, fields.sorted { $0.name < $1.name })
    }
}

extension Record.Field {
    /// The content that stands for the field in a session that doesn't see the field.
    fileprivate var nothing: ConfirmedContent {
        switch self {
        case .register, .moved: .value(.null)
        case .list: .list([])
        case .set: .set([])
        case .dictionary: .dictionary([])
        }
    }
}

extension Record {
    func differences(since version: StreamVersion, old: [SyncString: MergedContent]?) -> [FieldDifference] {
        fields.byName.compactMap { entry in
            entry.value.difference(since: version, base, old?[entry.name]).map { FieldDifference(entry.name, $0) }
        }
    }
}

extension Record.Field {
    func difference(since version: StreamVersion, _ base: Mark, _ old: MergedContent?) -> ContentDifference? {
        switch self {
        case .register(let register): register.difference(since: version, base)
        case .list(let list): list.difference(since: version)
        case .set(let set): set.difference(since: version, old).map { .set($0) }
        case .dictionary(let dictionary): dictionary.difference(since: version, old).map { .dictionary($0) }
        case .moved: nil
        }
    }
}

extension Register {
    func difference(since version: StreamVersion, _ base: Mark) -> ContentDifference? {
        if (mark ?? base).version <= version {
            if case .instance(let instance) = held {
                let fields = instance.record.differences(since: version, old: nil)
                return fields.isEmpty ? nil : .instance(fields)
            }
            if lastEdit <= version { return nil }
        }
        return .whole(confirmed(base) ?? .value(.null))
    }
}

extension KeyedCollection where Key == SetElement {
    func difference(since version: StreamVersion, _ old: MergedContent?) -> SetDifference? {
        var difference = SetDifference()
        for (key, register) in entries where register.value.isAbsent {
            if case .set(let old)? = old, old[key] == nil { continue }
            difference.removed.append(SyncValue(key))
        }
        difference.removed = difference.removed.sortedByText
        difference.inserted = values(since: version)
        return difference == SetDifference() ? nil : difference
    }
}

extension KeyedCollection where Key == SyncString {
    func difference(since version: StreamVersion, _ old: MergedContent?) -> DictionaryDifference? {
        var difference = DictionaryDifference()
        for (key, register) in entries {
            if !register.value.isAbsent {
                guard let changed = register.difference(since: version, base) else { continue }
                difference.changed.append(.init(key, changed))
            } else {
                if case .dictionary(let old)? = old, old[key] == nil { continue }
                difference.removed.append(key)
            }
        }
        difference.removed.sort()
        difference.changed.sort { $0.key < $1.key }
        return difference == DictionaryDifference() ? nil : difference
    }
}

extension ListDifference {
    mutating func keep(_ first: Int, count: Int = 1) {
        guard count > 0 else { return }
        if case .kept(let start, let known)? = pieces.last, start + known == first {
            pieces[pieces.count - 1] = .kept(start: start, count: known + count)
        } else {
            pieces.append(.kept(start: first, count: count))
        }
    }

    mutating func append(_ made: Made?, origin: Made?, _ content: ConfirmedContent) {
        var runs: [ElementRun] = []
        if case .new(let run)? = pieces.last {
            runs = [run]
            pieces.removeLast()
        }
        runs.append(made, origin: origin, content)
        pieces += runs.map { .new($0) }
    }
}
