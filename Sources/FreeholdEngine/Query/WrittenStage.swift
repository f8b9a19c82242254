/// A stage of a query as it was written, with names that haven't been looked up in a schema. Typed calls, query strings and descriptors append such
/// stages.
package enum WrittenStage {
    case filter(Condition)
    /// A sort. The first path is the primary one.
    case sort([WrittenSortKey])
    case distinct([NamedPath])
    case limit(Int)
    case offset(Int)
}

extension WrittenQuery {
    /// The condition and the other stages, in the order in which they were written.
    package var allStages: [WrittenStage] {
        [.filter(condition)]
            + stages.map { stage in
                switch stage {
                case .sort(let keys): .sort(keys)
                case .distinct(let paths): .distinct(paths)
                case .limit(let n): .limit(n)
                case .offset(let n): .offset(n)
                }
            }
    }
}

extension QueryCompiler {
    /// Returns the stages with their names looked up.
    package func stages(_ written: [WrittenStage]) throws(QueryError) -> [Stage] {
        var out: [Stage] = []
        for stage in written {
            switch stage {
            case .filter(let condition): out.append(.filter(try whole(condition)))
            case .sort(let keys):
                var sort: [SortKey] = []
                for key in keys { sort.append(try sortKey(key)) }
                out.append(.sort(sort))
            case .distinct(let named):
                var paths: [PropertyPath] = []
                for path in named { paths.append(try orderedPath(path, "made distinct")) }
                out.append(.distinct(paths))
            case .limit(let n): out.append(.limit(n))
            case .offset(let n): out.append(.offset(n))
            }
        }
        return out
    }

    private func sortKey(_ key: WrittenSortKey) throws(QueryError) -> SortKey {
        guard let point = key.point else {
            return SortKey(try orderedPath(key.path, "sorted"), ascending: key.ascending)
        }
        let resolved = try resolve(key.path)
        let columns = try places(key.path, resolved, what: "A distance")
        return SortKey(distanceTo: point, at: try singlePath(key.path), columns, ascending: key.ascending)
    }

    /// Returns a path with one value for each object, whose type has an order.
    package func orderedPath(_ named: NamedPath, _ what: String) throws(QueryError) -> PropertyPath {
        let path = try singlePath(named)
        switch path.column?.type {
        case nil, .link, .data:
            throw QueryError(
                .type,
                "Class \(names.className(of: cls)) can't be \(what) by '\(named.keyPath)': take a property that is a "
                    + "number, string, date, Bool or identifier, not \(path.column?.type == .data ? "data" : "an object").",
                position: named.position
            )
        default: return path
        }
    }

    /// Returns a path to values that can be aggregated.
    package func aggregatedPath(_ named: NamedPath, _ aggregate: Aggregate) throws(QueryError) -> PropertyPath {
        let path = try singlePath(named)
        switch path.column?.type {
        case .int, .float, .double, .decimal128, .mixed: return path
        case .timestamp where aggregate == .minimum || aggregate == .maximum: return path
        default:
            throw QueryError(
                .type,
                "'\(names.className(of: cls)).\(named.keyPath)' can't be aggregated. Take the least or greatest of a "
                    + "property that is a number or date, the sum or mean of one that is a number.",
                position: named.position
            )
        }
    }

    /// Returns a path with one value for each object.
    package func singlePath(_ named: NamedPath) throws(QueryError) -> PropertyPath {
        let resolved = try resolve(named)
        let path = resolved.path
        guard !path.isToMany, resolved.suffix == nil else {
            throw QueryError(
                .type,
                "'\(names.className(of: cls)).\(named.keyPath)' can have several values. Take a path through to-one "
                    + "links only, to a property that isn't a collection, or to one element of it.",
                position: named.position
            )
        }
        return path
    }
}

extension NamedPath {
    /// Creates a path from the text that `sorted(byKeyPath:)` and similar functions take: names separated by dots. Each name can be followed by one
    /// element of a collection: `counts['a'].value`, `counts[a]`, `numbers[0]`.
    package init(keyPath: String) throws(QueryError) {
        self.init()
        var rest = Substring(keyPath)
        while true {
            let end = rest.firstIndex { $0 == "." || $0 == "[" } ?? rest.endIndex
            if steps.count >= Condition.maximumDepth { throw QueryError(.syntax, Self.tooLong) }
            let name = String(rest[..<end])
            if name.isEmpty || name.contains("]") { throw Self.malformed(keyPath) }
            if name.hasPrefix("@") {
                throw QueryError(.type, "'\(keyPath)' has the operator \(name), which can't be used here.")
            }
            steps.append(.name(name))
            rest = rest[end...]
            while rest.first == "[" {
                if steps.count > Condition.maximumDepth { throw QueryError(.syntax, Self.tooLong) }
                guard let place = Self.place(&rest) else { throw Self.malformed(keyPath) }
                steps.append(.place(place))
            }
            if rest.isEmpty { return }
            guard rest.removeFirst() == "." else { throw Self.malformed(keyPath) }
        }
    }

    private static func place(_ rest: inout Substring) -> Subscript? {
        rest.removeFirst()
        if let quote = rest.first, quote == "'" || quote == "\"" {
            rest.removeFirst()
            guard let end = rest.firstIndex(of: quote) else { return nil }
            let key = String(rest[..<end])
            rest = rest[rest.index(after: end)...]
            guard rest.popFirst() == "]" else { return nil }
            return .key(key)
        }
        guard let end = rest.firstIndex(of: "]") else { return nil }
        let text = String(rest[..<end])
        rest = rest[rest.index(after: end)...]
        if text.isEmpty { return nil }
        return Int(text).map { .index($0) } ?? .key(text)
    }

    private static func malformed(_ keyPath: String) -> QueryError {
        QueryError(.syntax, "'\(QueryToken.short(keyPath))' isn't a key path. Write names with dots between them.")
    }

    /// The text of the path.
    package var keyPath: String {
        var text = ""
        for step in steps {
            switch step {
            case .name(let name): text += (text.isEmpty ? "" : ".") + name
            case .links(let className, let property):
                text += (text.isEmpty ? "" : ".") + "@links.\(className).\(property)"
            case .place(let place): text += "[\(place.text)]"
            }
        }
        return text
    }
}

extension Subscript {
    fileprivate var text: String {
        switch self {
        case .index(let i): String(i)
        case .first: "FIRST"
        case .last: "LAST"
        case .key(let key): "'\(key)'"
        case .all: "*"
        case .keys: "@keys"
        }
    }
}

extension WrittenStage {
    /// The text of the stage without the constants of its conditions, for logs.
    package var outline: String {
        switch self {
        case .filter(let condition): PredicateFormat.of(condition).0
        case .sort(let keys):
            "SORT(" + keys.map { $0.path.keyPath + ($0.ascending ? " ASC" : " DESC") }.joined(separator: ", ") + ")"
        case .distinct(let paths): "DISTINCT(" + paths.map(\.keyPath).joined(separator: ", ") + ")"
        case .limit(let n): "LIMIT(\(n))"
        case .offset(let n): "OFFSET(\(n))"
        }
    }
}
