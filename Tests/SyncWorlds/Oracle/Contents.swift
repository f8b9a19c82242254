import FreeholdSyncCore

/// The readable content of an object, without stamps and ids.
indirect enum Content: Hashable {
    case value(SyncValue)
    case embedded([SyncString: Content])
    case list([Content])
    case set([SetElement: SyncValue])
    case dictionary([SyncString: Content])

    static func withoutEmpty(_ properties: [SyncString: Content]) -> [SyncString: Content] {
        properties.mapValues(\.withoutEmptyProperties).filter {
            $0.value != .value(.null) && $0.value != .list([]) && $0.value != .set([:]) && $0.value != .dictionary([:])
        }
    }

    private var withoutEmptyProperties: Content {
        switch self {
        case .embedded(let properties): .embedded(Self.withoutEmpty(properties))
        case .list(let elements): .list(elements.map(\.withoutEmptyProperties))
        case .dictionary(let entries): .dictionary(entries.mapValues(\.withoutEmptyProperties))
        case .value, .set: self
        }
    }
}

extension Oracle {
    func isAlive(_ name: ObjectName) -> Bool { objects[name].map { $0.died == nil } ?? false }

    /// The properties of a live object. Links to missing objects are hidden: single values are null, and lists and sets
    /// omit them.
    ///
    /// - Parameter view: The visible objects among the live ones.
    func contents(of name: ObjectName, in view: (ObjectName) -> Bool = { _ in true }) -> [SyncString: Content]? {
        guard let object = objects[name], object.died == nil else { return nil }
        return object.contents(of: object.record) { isAlive($0) && view($0) }
    }

    /// Returns the contents with hidden links, as a file stores them.
    func stored(_ name: ObjectName) -> [SyncString: Content]? {
        guard let object = objects[name], object.died == nil else { return nil }
        return object.contents(of: object.record) { _ in true }
    }

    /// Returns all stored content, for comparisons. Null, empty and unwritten properties are left out.
    func stored() -> [ObjectName: [SyncString: Content]] {
        var all: [ObjectName: [SyncString: Content]] = [:]
        for name in objects.keys { all[name] = stored(name).map(Content.withoutEmpty) }
        return all
    }
}

extension Incarnation {
    func contents(of record: Record, showing isShown: (ObjectName) -> Bool) -> [SyncString: Content] {
        record.mapValues { field in
            switch field {
            case .value(let register): content(register.value ?? .plain(.null), isShown)
            case .list(let list):
                .list(
                    list.alive.compactMap { slot in
                        let value = list.elements[slot.element]?.value.value ?? .plain(.null)
                        return Self.isHidden(value, isShown) ? nil : content(value, isShown)
                    }
                )
            case .set(let set):
                .set(
                    set.registers.compactMapValues { register in
                        guard case .plain(let value)? = register.value, !Self.isHidden(.plain(value), isShown) else {
                            return nil
                        }
                        return value
                    }
                )
            case .dictionary(let entries):
                .dictionary(entries.registers.compactMapValues { $0.value.map { content($0, isShown) } })
            }
        }
    }

    private func content(_ value: Stored, _ isShown: (ObjectName) -> Bool) -> Content {
        switch value {
        case .plain(let value): .value(Self.shown(value, isShown))
        case .instance(let id): .embedded(contents(of: instances[id] ?? [:], showing: isShown))
        }
    }

    private static func isHidden(_ value: Stored, _ isShown: (ObjectName) -> Bool) -> Bool {
        if case .plain(.link(let name)) = value { !isShown(name) } else { false }
    }

    private static func shown(_ value: SyncValue, _ isShown: (ObjectName) -> Bool) -> SyncValue {
        switch value {
        case .link(let name) where !isShown(name): .null
        case .list(let values): .list(values.map { shown($0, isShown) })
        case .dictionary(let dictionary):
            .dictionary(SyncDictionary(dictionary.entries.map { (key: $0.key, value: shown($0.value, isShown)) }))
        default: value
        }
    }

    /// Returns the links in a property, each once.
    func links(in property: SyncString) -> Set<ObjectName> {
        var values: [Stored?] = []
        switch record[property] {
        case .value(let register)?: values = [register.value]
        case .list(let list)?: values = list.alive.map { list.elements[$0.element]?.value.value }
        case .set(let set)?: values = set.registers.values.map(\.value)
        case .dictionary(let entries)?: values = entries.registers.values.map(\.value)
        case nil: break
        }
        return Set(
            values.compactMap { value in
                if case .plain(.link(let name))? = value { name } else { nil }
            }
        )
    }
}
