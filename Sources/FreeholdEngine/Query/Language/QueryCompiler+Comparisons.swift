extension QueryCompiler {
    /// One side of a comparison that isn't a constant.
    struct Side {
        var operand: Operand
        var type: SideType
        /// The path, or `nil` for a calculation.
        var resolved: ResolvedPath?
        /// The path as it was written, for error messages.
        var named: NamedPath?
        /// The class of the values if they are objects.
        var target: Names.Class? { resolved?.suffix == nil ? resolved?.target : nil }

        /// The path if the side is a path without a suffix.
        var path: PropertyPath? { resolved?.suffix == nil ? resolved?.path : nil }
        var name: String { named?.text ?? "a calculation" }
    }

    enum SideType: Equatable {
        case column(ColumnType)
        /// `@type`
        case typeName
    }

    func side(_ term: Term) throws(QueryError) -> Side {
        switch term {
        case .constant: throw QueryError(.type, "Two constants are compared.", expected: ["a property"])
        case .path(let named):
            let resolved = try resolve(named)
            let type = type(resolved)
            return Side(operand: operand(resolved), type: type, resolved: resolved, named: named)
        case .subquery(let named, _, let condition):
            let resolved = try resolve(named)
            guard resolved.suffix == nil, resolved.type == .link, resolved.path.isToMany, let target = resolved.target
            else { throw error(.type, "A subquery needs a collection of objects.", path: named) }
            let inner = QueryCompiler(names, target, textOptions: textOptions)
            let operand = Operand.matches(resolved.path, try inner.predicate(condition))
            return Side(operand: operand, type: .column(.int), named: named)
        case .arithmetic(let op, let a, let b): return try arithmetic(op, left: a, right: b)
        }
    }

    private func type(_ resolved: ResolvedPath) -> SideType {
        switch resolved.suffix {
        case nil: .column(resolved.type)
        case .count, .length, .incomingLinks: .column(.int)
        case .type: .typeName
        case .aggregate(.minimum), .aggregate(.maximum): .column(resolved.type)
        case .aggregate(.sum):
            switch resolved.type {
            case .int: .column(.int)
            case .decimal128, .mixed: .column(.decimal128)
            default: .column(.double)
            }
        case .aggregate(.average):
            resolved.type == .decimal128 || resolved.type == .mixed ? .column(.decimal128) : .column(.double)
        }
    }

    private func arithmetic(_ op: ArithmeticOperator, left a: Term, right b: Term) throws(QueryError) -> Side {
        let (left, right): (Side, Side)
        switch (a, b) {
        case (.constant(let constant), .constant(let other)):
            left = try number(constant, .int, path: nil)
            right = try number(other, .int, path: nil)
        case (.constant(let constant), _):
            right = try side(b)
            left = try number(constant, right.type.numeric, path: right.named)
        case (_, .constant(let constant)):
            left = try side(a)
            right = try number(constant, left.type.numeric, path: left.named)
        default: (left, right) = (try side(a), try side(b))
        }
        guard let x = left.type.numeric, let y = right.type.numeric else {
            let wrong = left.type.numeric == nil ? left : right
            throw error(
                .type,
                "'\(wrong.name)' isn't a number, so that it can't be calculated with.",
                path: wrong.named
            )
        }
        let type: ColumnType =
            x == .mixed || y == .mixed
            ? .mixed : x == .decimal128 || y == .decimal128 ? .decimal128 : x == .int && y == .int ? .int : .double
        return Side(
            operand: .arithmetic(op, left.operand, right.operand),
            type: .column(type),
            named: left.named ?? right.named
        )
    }

    private func number(_ constant: Constant, _ other: ColumnType?, path: NamedPath?) throws(QueryError) -> Side {
        var constant = constant
        if case .argument(let argument) = constant {
            constant = try names.constant(argument, for: nil, of: nil) ?? .value(.null)
        }
        let value: Value? =
            switch constant {
            case .number(let text): other == .decimal128 ? Value(number: text, .decimal128) : Value(number: text)
            case .value(let value): value
            default: nil
            }
        guard let value, value.isNumber || value.isNull else {
            throw error(.type, "Only numbers can be calculated with.", path: path)
        }
        return Side(operand: .constant(value), type: .column(value.type ?? .int), named: nil)
    }

    // MARK: Comparisons

    func compare(
        _ left: Term,
        _ op: ConditionOperator,
        to right: Term,
        options: TextOptions
    ) throws(QueryError) -> Predicate {
        let options = options.isEmpty ? options : options.union(textOptions)
        switch (left, right) {
        case (_, .constant(let constant)): return try compare(try side(left), op, to: constant, options: options)
        case (.constant(.list(let constants, let quantifier?)), _):
            let side = try side(right)
            let values = try values(constants, side, op: op)
            return try operands(.constants(values, quantifier), side.type, op: op, to: side, options: options)
        case (.constant(let constant), _):
            let side = try side(right)
            guard let mirrored = op.mirrored else {
                throw error(.type, "\(op.rawValue) needs the property on its left.", path: side.named)
            }
            return try compare(side, mirrored, to: constant, options: options)
        default:
            let (a, b) = (try side(left), try side(right))
            try checkSides(a, op, with: b)
            return try operands(a.operand, a.type, op: op, to: b, options: options)
        }
    }

    private func checkSides(_ a: Side, _ op: ConditionOperator, with b: Side) throws(QueryError) {
        if op.isOrder, let x = a.path?.column, let y = b.path?.column, x.collection != .none, y.collection != .none,
            a.path!.isToMany, b.path!.isToMany, x.type != .link, y.type != .link
        {
            throw error(.type, "Two lists, '\(a.name)' and '\(b.name)', have no order.", path: a.named)
        }
        let fits =
            switch (a.type, b.type) {
            case (.typeName, .typeName): true
            case (.column(let x), .column(let y)):
                x == y || x == .mixed || y == .mixed || (x.isNumber && y.isNumber)
                    || (x == .string && y == .data) || (x == .data && y == .string)
            default: false
            }
        let sameClass: Bool
        if let x = a.target, let y = b.target {
            sameClass = names.table(of: x).id == names.table(of: y).id
        } else {
            sameClass = true
        }
        if !fits || !sameClass { throw error(.type, "'\(a.name)' and '\(b.name)' can't be compared.", path: a.named) }
        try check(op, b)
    }

    private func operands(
        _ a: Operand,
        _ type: SideType,
        op: ConditionOperator,
        to b: Side,
        options: TextOptions
    ) throws(QueryError) -> Predicate {
        var side = b
        side.type = type
        try check(op, side)
        let op = op == .isIn ? .equal : op
        if options.isEmpty, let comparison = op.comparison { return .operands(a, comparison, b.operand) }
        guard let text = op.text else { throw error(.type, "\(op.rawValue) always regards case.", path: b.named) }
        if op == .matches {
            throw error(.type, "MATCHES needs a property on its left and one pattern on its right.", path: b.named)
        }
        try checkText(op, side)
        return .texts(a, text, b.operand, options)
    }

    /// Throws an error if the type of the side doesn't have the operator.
    func check(_ op: ConditionOperator, _ side: Side) throws(QueryError) {
        switch op {
        case .equal, .notEqual, .isIn: return
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            switch side.type {
            case .column(.link), .column(.bool), .typeName:
                throw error(
                    .type,
                    "\(op.rawValue) can't be asked of '\(side.name)', which is \(side.type.described). Use == or !=.",
                    path: side.named
                )
            default: return
            }
        case .contains, .beginsWith, .endsWith, .like, .matches: try checkText(op, side)
        }
    }

    private func checkText(_ op: ConditionOperator, _ side: Side) throws(QueryError) {
        switch side.type {
        case .column(.string), .column(.data), .column(.mixed): return
        default:
            let what = op.comparison == nil ? op.rawValue : "\(op.rawValue) without regard to case"
            var message = "\(what) needs a string; '\(side.name)' is \(side.type.described)."
            if op == .contains, side.path?.isToMany == true { message += " Use: value IN \(side.name)." }
            throw error(.type, message, path: side.named)
        }
    }

    // MARK: Comparisons with constants

    private func compare(
        _ side: Side,
        _ op: ConditionOperator,
        to written: Constant,
        options: TextOptions
    ) throws(QueryError) -> Predicate {
        if let predicate = try members(side, op, written: written, options: options) { return predicate }
        let constant = try self.constant(written, side)
        switch constant {
        case .list(let constants, let quantifier):
            if op == .isIn, quantifier == nil || quantifier == .any {
                return try oneOf(side, constants, options: options)
            }
            if quantifier == nil, side.named?.quantifier == nil, let path = side.path, path.isToMany {
                guard op == .equal || op == .notEqual, options.isEmpty else {
                    throw error(.type, "A list can only be asked whether it is equal to another.", path: side.named)
                }
                return .elements(path, op.comparison!, try values(constants, side, op: op))
            }
            if quantifier == nil, let path = side.path, path.column?.type == .mixed, op == .equal || op == .notEqual,
                options.isEmpty
            {
                // A list inside a mixed value.
                let list = Value.list(NestedList(try values(constants, side, op: op)))
                return .comparison(path, op.comparison!, list)
            }
            guard quantifier != nil || side.path?.isToMany == true else {
                throw error(.type, "'\(side.name)' isn't a list. Use IN.", path: side.named)
            }
            let values = try values(constants, side, op: op)
            var list = side
            list.operand = .constants(values, quantifier ?? .any)
            return try operands(side.operand, side.type, op: op, to: list, options: options)
        // For a mixed value, an array that is an argument is one value.
        case .value(.list(let list)) where op == .isIn:
            return try oneOf(side, list.values.map { .value($0) }, options: options)
        case .shape(let shape):
            guard op == .isIn, let named = side.named, let resolved = side.resolved else {
                throw error(.type, "A shape can't be compared. Use geoWithin.", path: side.named)
            }
            return try within(named, resolved, shape: shape)
        default: break
        }
        if op == .isIn { throw error(.type, "IN needs a list on its right side.", path: side.named) }
        try check(op, side)
        guard let constant, let value = try value(constant, side, op: op) else { return noObject(side, op) }
        if side.isLinkList, value.isNull {
            throw error(.type, "'\(side.name)' is a collection of objects, which is never null.", path: side.named)
        }
        if value.isNull, op.isOrder, let path = side.path, side.type == .column(.string) || side.type == .column(.data)
        {
            return ordered(path, op)
        }
        // Values of other types aren't strings, so the options for case don't apply to them.
        if let comparison = op.comparison, options.isEmpty || (side.type == .column(.mixed) && !value.isText) {
            return side.path.map { .comparison($0, comparison, value) }
                ?? .operands(side.operand, comparison, .constant(value))
        }
        try checkText(op, side)
        guard let text = op.text, let path = side.path else {
            throw error(.type, "\(op.rawValue) always regards case.", path: side.named)
        }
        if !value.isText {
            if side.type == .column(.mixed) { return .constant(false) }
            throw error(.type, "\(op.rawValue) needs a string.", path: side.named)
        }
        if op == .matches { try checkPattern(value, side, options: options) }
        return .text(path, text, value, options)
    }

    /// Throws an error if the constant isn't a valid regular expression.
    private func checkPattern(_ value: Value, _ side: Side, options: TextOptions) throws(QueryError) {
        if value.isNull { return }
        guard case .string(let pattern) = value, side.type != .column(.data) else {
            throw error(.type, "MATCHES needs a string property and a regular expression.", path: side.named)
        }
        do throws(PatternError) {
            _ = try RegularExpression(pattern, ignoresCase: options.contains(.ignoringCase))
        } catch {
            throw self.error(
                .constant,
                "'\(QueryToken.short(pattern))' can't be used with MATCHES: \(error.message) It is at character "
                    + "\(error.position + 1) of the pattern.",
                path: side.named
            )
        }
    }

    /// Returns the comparison of strings or data with null. As in Realm, null is less than all strings and data. Null numbers and dates have no
    /// order.
    private func ordered(_ path: PropertyPath, _ op: ConditionOperator) -> Predicate {
        switch op {
        case .greater: .comparison(path, .notEqual, .null)
        // A condition that holds for every value.
        case .greaterOrEqual: .text(path, .contains, .null, [])
        default: .comparison(path, op.comparison ?? .equal, .null)
        }
    }

    /// Returns the comparison with an object that no link can lead to.
    private func noObject(_ side: Side, _ op: ConditionOperator) -> Predicate {
        guard let path = side.path, path.isToMany, path.column?.type != .mixed else {
            return .constant(op == .notEqual)
        }
        // The condition holds for each of the path's values, because all of them differ from such an object.
        return .comparison(path, op.comparison ?? .equal, .string(""))
    }

    private func oneOf(
        _ side: Side,
        _ constants: [Constant],
        options: TextOptions
    ) throws(QueryError) -> Predicate {
        let values = try values(constants, side, op: .isIn)
        if options.isEmpty {
            if let path = side.path { return .oneOf(path, values) }
            return .operands(side.operand, .equal, .constants(values))
        }
        try checkText(.isIn, side)
        return .texts(side.operand, .equal, .constants(values), options)
    }

    func between(
        _ term: Term,
        lower: Constant,
        upper: Constant,
        isClosed: Bool
    ) throws(QueryError) -> Predicate {
        let side = try side(term)
        try check(.less, side)
        let bounds = try values([lower, upper], side, op: .less)
        guard bounds.count == 2 else { return .constant(false) }
        if let path = side.path { return .between(path, lower: bounds[0], upper: bounds[1], isClosed: isClosed) }
        return .and([
            .operands(side.operand, .greaterOrEqual, .constant(bounds[0])),
            .operands(side.operand, isClosed ? .lessOrEqual : .less, .constant(bounds[1])),
        ])
    }

    /// Returns the values of the constants, without objects that no link can lead to.
    private func values(_ constants: [Constant], _ side: Side, op: ConditionOperator) throws(QueryError) -> [Value] {
        var values: [Value] = []
        for constant in constants {
            if let constant = try self.constant(constant, side), let value = try value(constant, side, op: op) {
                values.append(value)
            }
        }
        return values
    }
}

extension QueryCompiler.Side {
    /// A Boolean value that indicates whether the values are links to several objects, in a list, a set or backlinks. The values of dictionaries are
    /// excluded because they can be null.
    fileprivate var isLinkList: Bool {
        guard let path, type == .column(.link), path.subscripts.isEmpty else { return false }
        if let column = path.column { return column.collection == .list || column.collection == .set }
        if case .backlink? = path.steps.last { return true }
        return false
    }
}

extension QueryCompiler.SideType {
    /// The type of the values as numbers, or `nil` if the side can't be part of a calculation.
    fileprivate var numeric: ColumnType? {
        if case .column(let type) = self, type.isNumber || type == .mixed { type } else { nil }
    }

    var described: String {
        switch self {
        case .column(.link): "a link"
        case .column(.mixed): "a mixed value"
        case .column(.int): "an int"
        case .column(.objectId): "an ObjectId"
        case .column(.uuid): "a UUID"
        case .column(.timestamp): "a date"
        case .column(.data): "data"
        case .column(let type): "a \(type)"
        case .typeName: "the name of a type"
        }
    }
}

extension ColumnType {
    var isNumber: Bool { self == .int || self == .float || self == .double || self == .decimal128 }
}

extension Value {
    fileprivate var isText: Bool {
        switch self {
        case .null, .string, .data: true
        default: false
        }
    }
}
