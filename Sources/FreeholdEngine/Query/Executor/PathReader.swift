/// A reader of the values of paths, object by object.
///
/// In a write transaction, pending backlinks must be settled before (`settle`), because the reader passes values on while it reads the collections
/// that contain them.
struct PathReader {
    let view: DataView

    /// Prepares the path's backlinks for reading.
    func settle(_ path: PropertyPath) {
        for step in path.steps {
            guard case .backlink(let origin) = step else { continue }
            view.settleBacklinks(origin.type == .mixed ? view.mixedInverse(of: origin) : origin)
        }
    }

    func values(_ path: PropertyPath, _ key: ObjectKey) -> [Value] {
        var out: [Value] = []
        forEach(path, key) {
            out.append($0)
            return true
        }
        return out
    }

    /// Calls `body` with each value until `body` returns false.
    /// - Returns: whether `body` returned true for all values.
    @discardableResult
    func forEach(_ path: PropertyPath, _ key: ObjectKey, body: (Value) -> Bool) -> Bool {
        walk(0, path, key: key, body: body)
    }

    private func walk(_ i: Int, _ path: PropertyPath, key: ObjectKey, body: (Value) -> Bool) -> Bool {
        guard i < path.steps.count else { return forEachEnd(path, key, body: body) }
        switch path.steps[i] {
        case .link(let link) where link.collection == .none:
            guard let target = view.readLink(link, key) else { return nothing(i + 1, path, body: body) }
            return walk(i + 1, path, key: target, body: body)
        case .link(let link), .element(let link, .all):
            return view.forEachLink(link, key) { walk(i + 1, path, key: $0, body: body) }
        case .backlink(let origin): return view.forEachBacklink(origin, key) { walk(i + 1, path, key: $0, body: body) }
        case .element(let link, let place):
            guard !place.isToMany else { return true }
            guard case .link(let target) = view.element(link, key, place: place) else {
                return nothing(i + 1, path, body: body)
            }
            return walk(i + 1, path, key: target, body: body)
        }
    }

    /// Reads the rest of a path after a link that is null.
    private func nothing(_ i: Int, _ path: PropertyPath, body: (Value) -> Bool) -> Bool {
        path.isToMany(from: i) || body(.null)
    }

    private func forEachEnd(_ path: PropertyPath, _ key: ObjectKey, body: (Value) -> Bool) -> Bool {
        guard let column = path.column else { return body(.link(key)) }
        if column.collection == .none {
            return Self.forEach(view.value(column, key), path.subscripts[...], body: body)
        }
        guard let place = path.subscripts.first else { return view.forEachElement(column, key, body: body) }
        let rest = path.subscripts.dropFirst()
        switch place {
        case .all: return view.forEachElement(column, key) { Self.forEach($0, rest, body: body) }
        case .keys:
            return column.collection != .dictionary
                || view.forEachDictionaryKey(column, key) { Self.forEach($0, rest, body: body) }
        case .index, .first, .last, .key: return Self.forEach(view.element(column, key, place: place), rest, body: body)
        }
    }

    /// Calls `body` with the values at places inside a mixed value, until `body` returns false.
    static func forEach(_ value: Value, _ places: ArraySlice<Subscript>, body: (Value) -> Bool) -> Bool {
        guard let place = places.first else { return body(value) }
        let rest = places.dropFirst()
        switch (value, place) {
        case (.list(let list), .all): return list.values.allSatisfy { forEach($0, rest, body: body) }
        case (.dictionary(let dictionary), .all):
            return dictionary.entries.allSatisfy { forEach($0.value, rest, body: body) }
        case (.dictionary(let dictionary), .keys):
            return dictionary.entries.allSatisfy { forEach(.string($0.key), rest, body: body) }
        case (_, .all), (_, .keys): return true
        case (.dictionary(let dictionary), .key(let name)): return forEach(dictionary[name] ?? .null, rest, body: body)
        case (.list(let list), _):
            return forEach(place.position(in: list.values.count).map { list.values[$0] } ?? .null, rest, body: body)
        // The value at a missing place is null, and so are all values inside it.
        default: return forEach(.null, rest, body: body)
        }
    }
}

extension PropertyPath {
    /// Returns whether the path after its first `i` steps can have several values.
    func isToMany(from i: Int) -> Bool {
        if steps[i...].contains(where: { $0.isToMany }) || subscripts.contains(where: { $0.isToMany }) { return true }
        guard let column, column.collection != .none else { return false }
        return subscripts.isEmpty
    }
}

extension Subscript {
    /// Returns the position in a list or set of `count` elements, or `nil` if it is out of bounds or the place is a key.
    func position(in count: Int) -> Int? {
        switch self {
        case .index(let i): i >= 0 && i < count ? i : nil
        case .first: count > 0 ? 0 : nil
        case .last: count > 0 ? count - 1 : nil
        case .key, .all, .keys: nil
        }
    }
}

extension DataView {
    /// Returns the element at one place of a collection, or null if the place is missing.
    func element(_ column: Column, _ key: ObjectKey, place: Subscript) -> Value {
        if column.collection == .dictionary {
            guard case .key(let name) = place else { return .null }
            return dictionaryValue(column, key, forKey: name) ?? .null
        }
        return withList(column, key) { list in
            guard let i = place.position(in: count(of: list)) else { return .null }
            return value(of: list, at: i, type: column.type, isOptional: column.isOptional)
        }
    }

    /// Returns the inverse of a mixed column, which has the form of `Column.asBacklinkColumn(to:)`.
    func mixedInverse(of origin: Column) -> Column {
        guard let table = origin.targetTableID.flatMap(schema.table(id:)) else {
            preconditionFailure("backlinks of a mixed column are asked for by table: see Column.asBacklinkColumn(to:)")
        }
        return table.mixedInverse
    }
}
