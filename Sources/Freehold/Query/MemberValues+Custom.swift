import FreeholdEngine

extension MemberValues {
    /// Returns the members of a custom type's value that is stored as an embedded object, or nil for other values.
    ///
    /// - Throws: `.type` if a member isn't a plain value.
    static func of(_ argument: Any) throws(QueryError) -> MemberValues? {
        if PlainArgument.isPlain(argument) { return nil }
        guard let argument = PlainValue.unwrap(argument) else { return nil }
        if let members = argument as? MemberValues { return members }
        guard let value = argument as? any _CustomPersistable, let object = value._persistedObject else { return nil }
        let info = object._info
        var members: [(name: String, value: Value)] = []
        for property in info.properties where !property.isComputed {
            if property.isCollection || property.shape.type == .object {
                throw QueryError(
                    .type,
                    "Unsupported property '\(info.className).\(property.name)' for memberwise equality: a value that is "
                        + "stored as \(info.className) can't be compared in a query, because "
                        + "\(property.isCollection ? "equality on collections" : "equality of object links") isn't "
                        + "defined there. Compare single members of `persistableValue`."
                )
            }
            members.append((property.name, property.access.unmanagedValue(object._fieldAddress(property.offset))))
        }
        return MemberValues(className: info.className, members: members)
    }

    /// Returns the comparison of a closure's term with such values as a condition on the members, or nil for any other
    /// comparison.
    static func spelled(_ left: Term, _ op: ConditionOperator, to right: Term) -> Condition? {
        switch (left, right) {
        case (.path(let path), .constant(let constant)):
            guard op == .equal || op == .notEqual || op == .isIn, let values = values(constant) else { return nil }
            return MemberComparison(values, isNegated: op == .notEqual).condition(on: path, isToMany: path.isToMany)
        case (.constant(let constant), .path(let path)):
            guard op == .isIn, let values = values(constant) else { return nil }
            return MemberComparison(values, isNegated: false).condition(on: path, isToMany: true)
        default: return nil
        }
    }

    private static func values(_ constant: FreeholdEngine.Constant) -> [MemberValues?]? {
        switch constant {
        case .argument(let argument):
            if let one = try? of(argument) { return [one] }
            return nil
        case .list(let constants, _):
            var values: [MemberValues?] = []
            for constant in constants {
                guard case .argument(let argument) = constant else { return nil }
                values.append(try? of(argument))
            }
            return values.contains { $0 != nil } ? values : nil
        default: return nil
        }
    }
}

extension NamedPath {
    /// A Boolean value that indicates whether a closure's path can have several values.
    fileprivate var isToMany: Bool {
        quantifier != nil || !collections.isEmpty || steps.contains(.place(.all)) || steps.contains(.place(.keys))
    }
}

extension _CustomPersistable {
    /// The object in which the value is stored, or nil if it is stored in another form.
    fileprivate var _persistedObject: EmbeddedObject? { persistableValue as? EmbeddedObject }
}
