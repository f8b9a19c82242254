#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension QueryCompiler {
    /// Returns the constant with its argument replaced by a value, or `nil` for an object that no link can lead to.
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

    /// Returns the constant as a value that the side's values compare with, or `nil` for an object that no link can lead to.
    func value(_ constant: Constant, _ side: Side, op: ConditionOperator) throws(QueryError) -> Value? {
        switch constant {
        case .value(let value): return try fit(value, side, op: op)
        case .number(let text): return try fit(text, side, op: op)
        case .object(let tableID, let key): return try link(tableID, key, side: side)
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
                    "\(primaryKey) isn't a primary key of class \(names.className(of: cls)).",
                    path: side.named
                )
            }
            // The type is checked for missing objects, too.
            let key = names.object(withPrimaryKey: primaryKey, in: table)
            let value = try link(table.id, key ?? ObjectKey(0), side: side)
            return key == nil ? nil : value
        case .list: throw error(.type, "A list can't stand in a list.", path: side.named)
        case .shape, .argument: throw error(.type, "A shape can't be compared with a value.", path: side.named)
        }
    }

    private func link(_ tableID: Int?, _ key: ObjectKey, side: Side) throws(QueryError) -> Value? {
        // Objects don't have such keys, and a calculation with them isn't possible.
        if key.raw < 0 || key.raw >= 1 << 44 { return nil }
        switch side.type {
        case .column(.link):
            if let tableID, let target = side.target, names.table(of: target).id != tableID {
                throw error(
                    .type,
                    "'\(side.name)' links to objects of class \(names.className(of: target)) only.",
                    path: side.named
                )
            }
            return .link(key)
        case .column(.mixed):
            guard let tableID else {
                throw error(.constant, "For a mixed value, the object's table must be given: L2:7.", path: side.named)
            }
            return .objectLink(ObjectLink(tableID: tableID, key: key))
        default: throw mismatch("an object", side)
        }
    }

    // MARK: Conversion

    /// Returns the value of a number as it was written.
    private func fit(_ text: String, _ side: Side, op: ConditionOperator) throws(QueryError) -> Value {
        guard case .column(let type) = side.type else { throw mismatch("a number", side) }
        do throws(ConstantMisfit) {
            let value = try Value(writtenNumber: text, fitting: type, op)
            if side.isOfFloats, case .double(let number) = value { return .named(number) }
            return value
        } catch {
            throw misfit(error, "the number \(text)", side: side)
        }
    }

    private func fit(_ value: Value, _ side: Side, op: ConditionOperator) throws(QueryError) -> Value? {
        if let date = value.invalidDate {
            throw error(
                .argument,
                "A date that isn't a moment (\(date)) can't be compared with '\(side.name)'.",
                path: side.named
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
        if type == .link, case .objectLink(let link) = value {
            return try self.link(link.tableID, link.key, side: side)
        }
        if side.isOfFloats, case .double(let number) = value { return .named(number) }
        do throws(ConstantMisfit) { return try value.fitting(type, op) } catch {
            throw misfit(error, "\(value)", side: side)
        }
    }

    private func misfit(_ misfit: ConstantMisfit, _ what: String, side: Side) -> QueryError {
        switch misfit {
        case .type: mismatch(what, side)
        case .fraction(let number):
            error(.constant, "\(number) isn't a whole number, as '\(side.name)' is.", path: side.named)
        case .range(let number): outOfRange(number, side)
        }
    }

    private func mismatch(_ what: String, _ side: Side) -> QueryError {
        error(
            .type,
            "'\(side.name)' is \(side.type.described), which \(what) can't be compared with.",
            path: side.named
        )
    }

    private func outOfRange(_ text: String, _ side: Side) -> QueryError {
        error(.constant, "\(QueryToken.short(text)) is out of range.", path: side.named)
    }
}

extension QueryCompiler.Side {
    /// A Boolean value that indicates whether the values are sums or averages of floats, which are doubles.
    fileprivate var isOfFloats: Bool {
        guard let resolved, resolved.type == .float, case .aggregate(let aggregate)? = resolved.suffix else {
            return false
        }
        return aggregate == .sum || aggregate == .average
    }
}

extension Value {
    /// The first date that is NaN or infinite, in the value or in the lists and dictionaries inside it.
    fileprivate var invalidDate: Timestamp? {
        switch self {
        case .timestamp(let moment): moment.isValid ? nil : moment
        case .list(let list): list.values.lazy.compactMap(\.invalidDate).first
        case .dictionary(let dictionary): dictionary.entries.lazy.compactMap(\.value.invalidDate).first
        default: nil
        }
    }

    /// Returns a number for the comparison with sums of floats: the float with the same decimal text, such as 1.1, or the double if there isn't one.
    fileprivate static func named(_ number: Double) -> Value {
        let narrow = Float(number)
        return Double("\(narrow)") == number ? .float(narrow) : .double(number)
    }
}
