#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The reason why a constant can't be compared with the values of a column.
package enum ConstantMisfit: Error {
    /// The type of the constant doesn't compare with the type of the column.
    case type
    /// The number isn't whole, and the column holds integers.
    case fraction(String)
    /// The number is out of range.
    case range(String)
}

extension Constant {
    /// Returns the value that is compared with values of the type.
    ///
    /// - Throws: `ConstantMisfit`, also for constants that stand for objects, lists and shapes.
    package func fitting(_ type: ColumnType, _ op: ConditionOperator) throws(ConstantMisfit) -> Value {
        switch self {
        case .value(let value): try value.fitting(type, op)
        case .number(let text): try Value(writtenNumber: text, fitting: type, op)
        case .list, .argument, .object, .objectWithPrimaryKey, .shape: throw .type
        }
    }
}

extension Value {
    /// Creates a value from a number as it was written, for comparisons with values of the type.
    init(writtenNumber text: String, fitting type: ColumnType, _ op: ConditionOperator) throws(ConstantMisfit) {
        switch type {
        case .int:
            if let whole = NumberText.integer(text) {
                self = .int(whole)
                return
            }
            guard let number = NumberText.double(text) else { throw .range(text) }
            self = try Self.whole(number, .double(number), text: text, op: op)
        case .float, .double, .decimal128:
            guard let value = Value(number: text, type) else { throw .range(text) }
            self = value
        case .mixed:
            guard let value = Value(number: text) else { throw .range(text) }
            self = value
        case .bool:
            // NSPredicate accepts 0 and 1 for Booleans.
            guard let whole = NumberText.integer(text), whole == 0 || whole == 1 else { throw .type }
            self = .bool(whole == 1)
        default: throw .type
        }
    }

    /// Returns the value that is compared with values of the type.
    func fitting(_ type: ColumnType, _ op: ConditionOperator) throws(ConstantMisfit) -> Value {
        if isNull || self.type == type || type == .mixed { return self }
        switch (type, self) {
        case (.int, .float(let x)): return try Self.whole(Double(x), self, text: "\(x)", op: op)
        case (.int, .double(let x)): return try Self.whole(x, self, text: "\(x)", op: op)
        case (.int, .decimal128(let x)):
            if let whole = x.exactInt64 { return .int(whole) }
            if op.isOrder, x.isFinite { return self }
        case (.float, .double(let x)):
            // The nearest float, as if the constant had been written as a float. Numbers out of the range of floats stay doubles.
            let narrow = Float(x)
            return narrow.isInfinite && x.isFinite ? self : .float(narrow)
        case (.float, .int), (.float, .decimal128), (.double, .int), (.double, .float), (.double, .decimal128):
            return self
        case (.decimal128, .int(let x)): return .decimal128(Decimal128(x))
        case (.decimal128, .float(let x)): return .decimal128(Decimal128(x))
        case (.decimal128, .double(let x)): return .decimal128(Decimal128(x))
        case (.bool, .int(let x)) where x == 0 || x == 1: return .bool(x == 1)
        case (.data, .string(let text)): return .data(.init(text.utf8))
        case (.string, .data): if op.text != nil, op.comparison == nil { return self }
        case (.objectId, .string(let text)): if let id = ObjectId(text) { return .objectId(id) }
        case (.uuid, .string(let text)): if let id = UUID(uuidString: text) { return .uuid(id) }
        case (.int, .string(let text)), (.float, .string(let text)), (.double, .string(let text)),
            (.decimal128, .string(let text)):
            if let number = NumberText(parsing: text) {
                return try Value(writtenNumber: number.text, fitting: type, op)
            }
        default: break
        }
        throw .type
    }

    /// Returns the number as an integer, or unchanged if only its order matters.
    private static func whole(
        _ number: Double,
        _ value: Value,
        text: String,
        op: ConditionOperator
    ) throws(ConstantMisfit) -> Value {
        if let whole = Int64(exactly: number) { return .int(whole) }
        if op.isOrder, number.isFinite { return value }
        throw .fraction(text)
    }
}

extension NumberText {
    /// Creates a number from a string, by the parser's rules for numbers, or returns `nil` if the string isn't a number.
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
    /// Creates a number from its text alone: an integer if possible, a float if it ends with `f`, and a double otherwise.
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

    /// Creates a number of this type, or of a type that compares with it exactly.
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
