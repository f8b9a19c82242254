#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension QueryCompiler {
    /// With arguments replaced by what they stand for; nil for an object that no link can lead to.
    func constant(_ constant: Constant, _ path: ResolvedPath) throws(QueryError) -> Constant? {
        guard case .argument(let argument) = constant else { return constant }
        guard path.suffix == nil else { return try names.constant(argument, for: nil, of: nil) }
        return try names.constant(argument, for: path.path.column, of: path.target)
    }

    func constant(_ constant: Constant, _ side: Side) throws(QueryError) -> Constant? {
        guard case .argument(let argument) = constant else { return constant }
        do throws(QueryError) {
            if let resolved = side.resolved { return try self.constant(constant, resolved) }
            return try names.constant(argument, for: nil, of: nil)
        } catch {
            var error = error
            error.position = error.position ?? side.named?.position
            throw error
        }
    }

    /// The constant as a value that the side's values compare with; nil for an object that no link can lead to.
    func value(_ constant: Constant, _ side: Side, _ op: ConditionOperator) throws(QueryError) -> Value? {
        switch constant {
        case .value(let value): return try fit(value, side, op)
        case .number(let text): return try fit(text, side, op)
        case .object(let tableID, let key): return try link(tableID, key, side)
        case .objectWithPrimaryKey(let className, let primaryKey):
            guard let cls = names.cls(named: className) else {
                throw QueryError(
                    .unknownName,
                    "There is no class '\(QueryToken.short(className))'.",
                    position: side.named?.position,
                    suggestions: NearNames.of(className, names.classNames)
                )
            }
            let table = names.table(of: cls)
            guard let keyColumn = table.primaryKey, primaryKey.isNull || primaryKey.type == keyColumn.type else {
                throw error(
                    .constant,
                    "\(primaryKey) is no primary key of class \(names.className(of: cls)).",
                    side.named
                )
            }
            // Whether it fits is asked of objects that there aren't, too.
            let key = names.view.find(primaryKey: primaryKey, in: table)
            let value = try link(table.id, key ?? ObjectKey(0), side)
            return key == nil ? nil : value
        case .list: throw error(.type, "A list can't stand in a list.", side.named)
        case .shape, .argument: throw error(.type, "A shape can't be compared with a value.", side.named)
        }
    }

    private func link(_ tableID: Int?, _ key: ObjectKey, _ side: Side) throws(QueryError) -> Value? {
        // No object has such a key, and none can be calculated with.
        if key.raw < 0 || key.raw >= 1 << 44 { return nil }
        switch side.type {
        case .column(.link):
            if let tableID, let target = side.target, names.table(of: target).id != tableID {
                throw error(
                    .type,
                    "'\(side.name)' links to objects of class \(names.className(of: target)) only.",
                    side.named
                )
            }
            return .link(key)
        case .column(.mixed):
            guard let tableID else {
                throw error(.constant, "Of a mixed value the object's table must be given: L2:7.", side.named)
            }
            return .objectLink(ObjectLink(tableID: tableID, key: key))
        default: throw mismatch("an object", side)
        }
    }

    // MARK: Conversion

    /// A number as it is written.
    private func fit(_ text: String, _ side: Side, _ op: ConditionOperator) throws(QueryError) -> Value {
        guard case .column(let type) = side.type else { throw mismatch("a number", side) }
        switch type {
        case .int:
            if let whole = NumberText.integer(text) { return .int(whole) }
            guard let number = NumberText.double(text) else { throw outOfRange(text, side) }
            return try whole(number, .double(number), text, side, op)
        case .float, .double, .decimal128:
            guard let value = Value(number: text, type) else { throw outOfRange(text, side) }
            if side.isOfFloats, case .double(let number) = value { return .named(number) }
            return value
        case .mixed:
            guard let value = Value(number: text) else { throw outOfRange(text, side) }
            return value
        case .bool:
            // As NSPredicate has it.
            if let whole = NumberText.integer(text), whole == 0 || whole == 1 { return .bool(whole == 1) }
        default: break
        }
        throw mismatch("the number \(text)", side)
    }

    private func fit(_ value: Value, _ side: Side, _ op: ConditionOperator) throws(QueryError) -> Value? {
        if let date = value.invalidDate {
            throw error(
                .argument,
                "A date that isn't a moment (\(date)) can't be compared with '\(side.name)'.",
                side.named
            )
        }
        guard case .column(let type) = side.type else {
            guard case .string(let name) = value else { throw mismatch("\(value)", side) }
            if ValueTypeName.isKnown(name) { return value }
            throw QueryError(
                .constant,
                "There is no type '\(QueryToken.short(name))'.",
                position: side.named?.position,
                suggestions: NearNames.of(name, ValueTypeName.all)
            )
        }
        if side.isOfFloats, case .double(let number) = value { return .named(number) }
        if value.isNull || value.type == type || type == .mixed { return value }
        switch (type, value) {
        case (.int, .float(let x)): return try whole(Double(x), value, "\(x)", side, op)
        case (.int, .double(let x)): return try whole(x, value, "\(x)", side, op)
        case (.int, .decimal128(let x)):
            if let whole = x.exactInt64 { return .int(whole) }
            if op.isOrder, x.isFinite { return value }
        case (.float, .double(let x)):
            // The nearest float, as if it had been written as one; not where it is out of their range.
            let narrow = Float(x)
            return narrow.isInfinite && x.isFinite ? value : .float(narrow)
        case (.float, .int), (.float, .decimal128), (.double, .int), (.double, .float), (.double, .decimal128):
            return value
        case (.decimal128, .int(let x)): return .decimal128(Decimal128(x))
        case (.decimal128, .float(let x)): return .decimal128(Decimal128(x))
        case (.decimal128, .double(let x)): return .decimal128(Decimal128(x))
        case (.bool, .int(let x)) where x == 0 || x == 1: return .bool(x == 1)
        case (.data, .string(let text)): return .data(.init(text.utf8))
        case (.string, .data): if op.text != nil, op.comparison == nil { return value }
        case (.objectId, .string(let text)): if let id = ObjectId(text) { return .objectId(id) }
        case (.uuid, .string(let text)): if let id = UUID(uuidString: text) { return .uuid(id) }
        case (.int, .string(let text)), (.float, .string(let text)), (.double, .string(let text)),
            (.decimal128, .string(let text)):
            if let number = NumberText(parsing: text) { return try fit(number.text, side, op) }
        case (.link, .objectLink(let link)): return try self.link(link.tableID, link.key, side)
        default: break
        }
        throw mismatch("\(value)", side)
    }

    /// The number as an integer; as it is, where only its order matters.
    private func whole(
        _ number: Double,
        _ value: Value,
        _ text: String,
        _ side: Side,
        _ op: ConditionOperator
    ) throws(QueryError) -> Value {
        if let whole = Int64(exactly: number) { return .int(whole) }
        if op.isOrder, number.isFinite { return value }
        throw error(.constant, "\(text) is no whole number, as '\(side.name)' is.", side.named)
    }

    private func mismatch(_ what: String, _ side: Side) -> QueryError {
        error(.type, "'\(side.name)' is \(side.type.described), which \(what) can't be compared with.", side.named)
    }

    private func outOfRange(_ text: String, _ side: Side) -> QueryError {
        error(.constant, "\(QueryToken.short(text)) is out of range.", side.named)
    }
}

extension QueryCompiler.Side {
    /// Whether its values are sums or means of floats, which are doubles.
    fileprivate var isOfFloats: Bool {
        guard let resolved, resolved.type == .float, case .aggregate(let aggregate)? = resolved.suffix else {
            return false
        }
        return aggregate == .sum || aggregate == .average
    }
}

extension Value {
    /// A date that is NaN or infinite, in a value or in the lists and dictionaries that it holds.
    fileprivate var invalidDate: Timestamp? {
        switch self {
        case .timestamp(let moment): moment.isValid ? nil : moment
        case .list(let list): list.values.lazy.compactMap(\.invalidDate).first
        case .dictionary(let dictionary): dictionary.entries.lazy.compactMap(\.value.invalidDate).first
        default: nil
        }
    }

    /// A number that is compared with sums of floats: the float that is written so, as 1.1 is, else the double.
    fileprivate static func named(_ number: Double) -> Value {
        let narrow = Float(number)
        return Double("\(narrow)") == number ? .float(narrow) : .double(number)
    }
}

extension NumberText {
    /// The number that a string is, in the form in which the parser reads numbers; nil where it is none.
    init?(parsing text: String) {
        let tokens = QueryLexer.tokens(text)
        switch (tokens.map(\.kind).first, tokens.count) {
        case (.number(let digits), 2): self.init(text: digits)
        case (.symbol(.minus), 3):
            guard case .number(let digits) = tokens[1].kind else { return nil }
            self.init(text: "-" + digits)
        case (.name(let name), 2):
            switch name.lowercased() {
            case "inf", "infinity": self.init(text: "inf")
            case "nan": self.init(text: "nan")
            default: return nil
            }
        default: return nil
        }
    }
}

extension Value {
    /// A number as it is written, by itself: an integer if it is one, else a double, or a float with an `f`.
    init?(number text: String) {
        if let whole = NumberText.integer(text) {
            self = .int(whole)
        } else if NumberText.isSingle(text), let number = NumberText.float(text) {
            self = .float(number)
        } else if let number = NumberText.double(text) {
            self = .double(number)
        } else {
            return nil
        }
    }

    /// As a number of that type, or of one that compares with it exactly.
    init?(number text: String, _ type: ColumnType) {
        switch type {
        case .decimal128:
            guard let number = NumberText.decimal(text) else { return nil }
            self = .decimal128(number)
        case .float:
            guard !NumberText.isHexadecimal(text), let number = NumberText.float(text),
                let wide = NumberText.double(text)
            else { fallthrough }
            // A number that is too large for a float is compared as a double.
            self = number.isInfinite && wide.isFinite ? .double(wide) : .float(number)
        default: self.init(number: text)
        }
    }
}
