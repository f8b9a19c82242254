import FreeholdEngine

extension ValueOperand {
    init(_ term: Term, in source: ConditionSource) throws(ConditionError) {
        switch term {
        case .constant(.number(let text)): self = .constant(.number(text))
        case .constant(.value(let value)):
            switch value {
            case .int, .float, .double, .decimal128, .null: self = .constant(.value(value))
            default: throw source.error("Only numbers can be calculated with.")
            }
        case .constant: throw source.error("Only numbers can be calculated with.")
        case .path(let named):
            let (path, _, isLength) = try ValuePath.resolved(named, in: source)
            if isLength {
                self = .length(path)
            } else {
                try self.init(named, path, in: source)
            }
        case .subquery(let named, _, let condition):
            let (path, table, _) = try ValuePath.resolved(named, in: source)
            guard named.suffix == nil else { throw source.unserved("This subquery", at: named.position) }
            if let table, !table.isEmbedded {
                throw source.error("A condition through the link '\(path.text)' isn't served.", at: named.position)
            }
            self = .matches(path, try ObjectTest(condition, in: ConditionSource(source.text, source.schema, table)))
        case .arithmetic(let op, let a, let b):
            self = .arithmetic(op, try ValueOperand(a, in: source), try ValueOperand(b, in: source))
        }
    }

    private init(_ named: NamedPath, _ path: ValuePath, in source: ConditionSource) throws(ConditionError) {
        switch named.suffix {
        case nil: self = .path(path)
        case .length: self = .length(path)
        case .type: self = .type(path)
        case .count, .aggregate, .incomingLinks:
            guard path.quantifier == .any else {
                throw source.error("A quantifier needs several values; '\(path.text)' is one.", at: path.position)
            }
            switch named.suffix {
            case .count: self = .count(path)
            case .aggregate(let aggregate): self = .aggregate(aggregate, path)
            default: throw source.unserved("@links", at: path.position)
            }
        }
    }
}

extension ValuePath {
    /// Returns a path with its types according to the schema, and the class of the embedded objects to which it leads.
    static func resolved(_ named: NamedPath, in source: ConditionSource) throws(ConditionError) -> (
        path: ValuePath, table: TableSpec?, isLength: Bool
    ) {
        var steps: [Step] = []
        var walk = SchemaWalk(source: source)
        for (index, step) in named.steps.enumerated() {
            let position = index < named.stepPositions.count ? named.stepPositions[index] : named.position
            switch step {
            case .name(let name):
                try walk.take(name, isLast: index == named.steps.count - 1, at: position)
                if !walk.isLength { steps.append(.name(SyncString(name))) }
            case .place(let place):
                guard !steps.isEmpty else {
                    throw source.error("Only collections and mixed values have elements to ask for.", at: position)
                }
                try walk.take(place, at: position)
                steps.append(.place(place))
            case .links: throw source.unserved("@links", at: position)
            }
        }
        let path = ValuePath(
            steps: steps,
            quantifier: named.quantifier ?? .any,
            isQuantified: named.quantifier != nil,
            text: named.text,
            position: named.position,
            types: steps.isEmpty ? nil : walk.types
        )
        return (path, walk.table, walk.isLength)
    }

    /// Returns the embedded objects to which the path leads. Returns `nil` if it leads to other values, or if the
    /// budget is exceeded.
    func objects(_ root: ConditionRoot, budget: inout WorkBudget) -> [[SyncString: MergedContent]]? {
        guard let found = reach(root, budget: &budget) else { return nil }
        var objects: [[SyncString: MergedContent]] = []
        for content in found {
            switch content {
            case nil, .value(.null)?: break
            case .embedded(let fields)?: objects.append(fields)
            case .value?: return nil
            case .list?, .set?, .dictionary?:
                guard budget.charge(content!.elementSteps) else { return nil }
                for element in content!.elements {
                    switch element {
                    case .embedded(let fields): objects.append(fields)
                    case .value(.null): break
                    default: return nil
                    }
                }
            }
        }
        return objects
    }
}

/// The result of following a path in the schema.
private struct SchemaWalk {
    let source: ConditionSource
    /// The class of the objects to which the path leads. `nil` if it is unknown.
    private(set) var table: TableSpec?
    private var column: ColumnSpec?
    /// A Boolean value that indicates whether all names were found.
    private var isKnown: Bool
    /// For each step, a Boolean value that indicates whether the step itself leads to several values.
    private var many: [Bool] = []
    private var type: ColumnType?
    private var hasPlace = false
    /// A Boolean value that indicates whether the last name stands for the length of the values before it.
    private(set) var isLength = false

    init(source: ConditionSource) {
        self.source = source
        table = source.table
        isKnown = source.table != nil
    }

    /// The types of the path. `nil` if the schema doesn't contain the path.
    var types: ValuePath.Types? {
        guard isKnown, let type else { return nil }
        var isMany = [Bool](repeating: false, count: many.count + 1)
        for index in many.indices.reversed() { isMany[index] = many[index] || isMany[index + 1] }
        return ValuePath.Types(isMany: isMany, type: type)
    }

    mutating func take(_ name: String, isLast: Bool, at position: Int?) throws(ConditionError) {
        if let last = column {
            if isLast, name == "length", last.type == .string || last.type == .data {
                isLength = true
                return
            }
            guard let target = last.target.flatMap({ source.schema?.table($0) }), last.type == .link else {
                throw source.error("'\(last.name)' holds no objects, so that nothing can follow it.", at: position)
            }
            guard target.isEmbedded else {
                throw source.error("A condition through the link '\(last.name)' isn't served.", at: position)
            }
            table = target
        }
        many.append(false)
        hasPlace = false
        guard isKnown, let found = table?.columns.first(where: { $0.name == name }) else {
            (isKnown, table, column) = (false, nil, nil)
            return
        }
        column = found
        type = found.type
        many[many.count - 1] = found.collection != .none
        table = found.type == .link ? found.target.flatMap { source.schema?.table($0) } : nil
    }

    mutating func take(_ place: Subscript, at position: Int?) throws(ConditionError) {
        let isMany = place == .all || place == .keys
        if !hasPlace, !isMany, let column, column.collection == .set, column.type == .link || column.type == .mixed {
            throw source.error(ValuePath.inSet(column.name), at: position)
        }
        // A subscript selects one element of the collection.
        if !hasPlace, let column, column.collection != .none { many[many.count - 1] = false }
        many.append(isMany)
        hasPlace = true
        if place == .keys { type = .string }
    }
}
