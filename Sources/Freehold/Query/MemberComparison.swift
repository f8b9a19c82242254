import FreeholdEngine

/// A custom type that is stored as an embedded object, compared with a value of it: by the object's members.
struct MemberComparison {
    private let object: EmbeddedObject

    /// Nil for values that are stored otherwise.
    init?(_ value: Any?) {
        guard let value = PlainValue.unwrap(value) as? any _CustomPersistable,
            let object = value._persistedObject
        else { return nil }
        self.object = object
    }

    /// - Parameter type: What the term stands for: of a collection one element must be equal in all its members.
    func compared(_ term: Term, _ op: ConditionOperator, _ type: Any.Type) -> Query<Bool> {
        guard case .path(let path) = term, op == .equal || op == .notEqual else {
            programmerError("A \(Swift.type(of: object)) can only be compared with == and != in a query.")
        }
        if type is any RealmCollectionBase.Type || type is any RealmKeyedCollection.Type {
            let isEqual = members(of: NamedPath())
            let matches = Term.subquery(path, variable: "$element", op == .equal ? isEqual : .not(isEqual))
            return Query(.compare(matches, .greater, .constant(.value(.int(0))), []))
        }
        let isEqual = members(of: path)
        return Query(op == .equal ? isEqual : .not(isEqual))
    }

    private func members(of path: NamedPath) -> Condition {
        let info = object._info
        let conditions = info.properties.map { property -> Condition in
            if property.isCollection || property.shape.type == .object || property.isComputed {
                programmerError(
                    "A value that is stored as \(info.className) can't be compared in a query, because of its property "
                        + "'\(property.name)': only members that are plain values can. Compare single members of "
                        + "`persistableValue`."
                )
            }
            let value = property.access.unmanagedValue(object._fieldAddress(property.offset))
            return .compare(.path(path.appending(property.name)), .equal, .constant(.value(value)), [])
        }
        // An object without members is there or isn't.
        return .and([.compare(.path(path), .notEqual, .constant(.value(.null)), [])] + conditions)
    }
}

extension _CustomPersistable {
    /// The object that stands for the value, where it is stored as one.
    fileprivate var _persistedObject: EmbeddedObject? { persistableValue as? EmbeddedObject }
}
