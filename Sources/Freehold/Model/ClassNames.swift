import Foundation

/// The names of a class in Swift, in the file and in messages.
struct ClassNames {
    let className: String
    /// The name in the file, if the class itself defines it.
    let tableName: String?
    let problems: [SchemaProblem]

    init(_ cls: ObjectBase.Type) {
        className = cls.className()
        var problems: [SchemaProblem] = []
        let mapped = cls.mappedName()
        let name = mapped ?? cls._realmObjectName()
        if let mapped, let other = cls._realmObjectName(), mapped != other {
            problems.append(
                SchemaProblem(
                    className,
                    nil,
                    message:
                        "has the stored name \"\(mapped)\" by mappedName() and \"\(other)\" by _realmObjectName(): give one"
                )
            )
        }
        tableName = name == Self.inherited(by: cls) ? nil : name
        self.problems = problems
    }

    /// Returns the name that the superclass defines. A class doesn't inherit this name, because it would share the
    /// table of its superclass.
    private static func inherited(by cls: ObjectBase.Type) -> String? {
        guard let superclass = _getSuperclass(cls) as? ObjectBase.Type else { return nil }
        return superclass.mappedName() ?? superclass._realmObjectName()
    }

    /// Returns the name with its module and enclosing types, without the compiler's text for private types.
    static func qualified(_ type: Any.Type) -> String {
        var name = String(reflecting: type)
        while let start = name.range(of: "(unknown context at "), let end = name[start.upperBound...].range(of: ").") {
            name.removeSubrange(start.lowerBound..<end.upperBound)
        }
        return name
    }
}
