import FreeholdEngine

extension WrittenStage {
    /// The stage with object keys instead of objects, which are confined to a place.
    var withoutLiveObjects: WrittenStage {
        if case .filter(let condition) = self { return .filter(condition.withoutLiveObjects) }
        return self
    }
}

extension Condition {
    fileprivate var withoutLiveObjects: Condition {
        switch self {
        case .truth: self
        case .and(let all, let closings): .and(all.map(\.withoutLiveObjects), closings: closings)
        case .or(let all, let closings): .or(all.map(\.withoutLiveObjects), closings: closings)
        case .not(let inner): .not(inner.withoutLiveObjects)
        case .compare(let a, let op, let b, let options):
            .compare(a.withoutLiveObjects, op, b.withoutLiveObjects, options)
        case .between(let term, let lower, let upper, let isClosed):
            .between(
                term.withoutLiveObjects,
                lower: lower.withoutLiveObjects,
                upper: upper.withoutLiveObjects,
                isClosed: isClosed
            )
        case .fullText: self
        case .within: self
        case .term(let term): .term(term.withoutLiveObjects)
        }
    }
}

extension Term {
    fileprivate var withoutLiveObjects: Term {
        switch self {
        case .constant(let constant): .constant(constant.withoutLiveObjects)
        case .path: self
        case .subquery(let path, let variable, let condition):
            .subquery(path, variable: variable, condition.withoutLiveObjects)
        case .arithmetic(let op, let a, let b): .arithmetic(op, a.withoutLiveObjects, b.withoutLiveObjects)
        }
    }
}

extension FreeholdEngine.Constant {
    fileprivate var withoutLiveObjects: FreeholdEngine.Constant {
        switch self {
        case .list(let all, let quantifier): return .list(all.map(\.withoutLiveObjects), quantifier)
        case .argument(let argument):
            guard let value = PlainValue.unwrap(argument) else { return .value(.null) }
            if let object = Self.object(value) { return object }
            if let members = try? MemberValues.of(value) { return .argument(members) }
            guard !PlainArgument.isPlain(value), !(value is any _GeoShape), let elements = value as? any Sequence
            else { return self }
            let all = Array<Any>(erasing: elements)
            guard all.contains(where: { PlainValue.unwrap($0).map(Self.isLive) ?? false }) else {
                return self
            }
            return .list(all.map { FreeholdEngine.Constant.argument($0).withoutLiveObjects })
        case .value, .number, .object, .objectWithPrimaryKey, .shape: return self
        }
    }

    private static func isLive(_ value: Any) -> Bool {
        if PlainArgument.isPlain(value) { return false }
        return object(value) != nil || (try? MemberValues.of(value)) != nil
    }

    private static func object(_ value: Any) -> FreeholdEngine.Constant? {
        var object = PlainValue.object(value)
        if case .object(let content)? = value as? AnyRealmValue { object = content }
        guard let object, let table = object._table else { return nil }
        return .object(tableID: table.table.id, object.isInvalidated ? ObjectKey(-1) : object._key)
    }
}
