/// The result of the push of a schema.
public struct SchemaPush: Hashable, Sendable {
    public let versions: SchemaVersions
    /// The effects on apps by class and property, for people and for a dry run.
    public let steps: [VersionStep]
}

/// A change by a new version.
public struct VersionStep: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case added
        /// The class or property existed before the previous version, and its stored data is shown again.
        case back
        case renamed
        /// The class or property was removed. Its data is kept for apps of earlier versions.
        case removed
        case optional
        case required
        /// The numbers have a wider type.
        case widened
        /// The numbers have a type that can't represent all stored numbers.
        case narrowed
    }

    public let kind: Kind
    /// The class under its new name, or under its previous name if it was removed.
    public let className: String
    /// The property. `nil` if the change is about the class.
    public let property: String?
    let what: String

    init(_ kind: Kind, _ className: String, _ property: String? = nil, what: String) {
        (self.kind, self.className, self.property, self.what) = (kind, className, property, what)
    }
}

extension VersionStep: CustomStringConvertible {
    /// A line of text for a person.
    public var description: String { (property.map { "\(className).\($0)" } ?? className) + " " + what }
}

/// The error of a schema that can't be pushed. It contains everything that apps of the old version and of the new one
/// can't share.
public struct SchemaPushError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The problems, by class and property.
    public let problems: [SchemaPushProblem]

    /// A line for each problem.
    public var description: String { problems.map(\.description).joined(separator: "\n") }
}

/// A change that a lens can't translate, and an alternative.
public struct SchemaPushProblem: Hashable, Sendable {
    /// The class. Empty if the problem is about the push as a whole.
    public let className: String
    /// The property. `nil` if the problem is about the class.
    public let property: String?
    /// The old and the new declaration, if they exist: `age: long`, `age: string?`.
    public let old: String?
    public let new: String?
    /// The reason, and an alternative, as one sentence each.
    public let reason: String
    public let remedy: String

    init(
        _ className: String,
        _ property: String? = nil,
        old: String? = nil,
        new: String? = nil,
        reason: String,
        remedy: String = ""
    ) {
        (self.className, self.property, self.old, self.new) = (className, property, old, new)
        (self.reason, self.remedy) = (reason, remedy)
    }
}

extension SchemaPushProblem: CustomStringConvertible {
    public var description: String {
        var place = property.map { "\(className).\($0)" } ?? className
        switch (old, new) {
        case (let old?, let new?): place += " ('\(old)' became '\(new)')"
        case (let one?, nil), (nil, let one?): place += " ('\(one)')"
        case (nil, nil): break
        }
        return (place.isEmpty ? "" : place + ": ") + reason + (remedy.isEmpty ? "" : " " + remedy)
    }
}

extension SchemaPushProblem: Comparable {
    public static func < (a: SchemaPushProblem, b: SchemaPushProblem) -> Bool {
        (a.className, a.property ?? "", a.reason) < (b.className, b.property ?? "", b.reason)
    }
}
