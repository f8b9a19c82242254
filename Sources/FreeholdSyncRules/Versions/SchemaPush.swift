/// What a push of a schema makes of an app's versions.
public struct SchemaPush: Hashable, Sendable {
    public let versions: SchemaVersions
    /// What it means for apps, by class and property: for people, and for a dry run.
    public let steps: [VersionStep]
}

/// One thing that a new version does to the one before it.
public struct VersionStep: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case added
        /// It was there before the version before, and what it held is shown again.
        case back
        case renamed
        /// It stays stored for apps of earlier versions.
        case removed
        case optional
        case required
        /// Numbers of a wider type.
        case widened
        /// Numbers of a type that can't show all that is stored.
        case narrowed
    }

    public let kind: Kind
    /// As the new version calls it; as the one before does if it was removed.
    public let className: String
    /// Nil if it is about the class.
    public let property: String?
    let what: String

    init(_ kind: Kind, _ className: String, _ property: String? = nil, what: String) {
        (self.kind, self.className, self.property, self.what) = (kind, className, property, what)
    }
}

extension VersionStep: CustomStringConvertible {
    /// A line for a person.
    public var description: String { (property.map { "\(className).\($0)" } ?? className) + " " + what }
}

/// Why a schema can't be pushed: all that apps of the old version and of the new one can't share.
public struct SchemaPushError: Error, Hashable, Sendable, CustomStringConvertible {
    /// By class and property.
    public let problems: [SchemaPushProblem]

    /// A line for each.
    public var description: String { problems.map(\.description).joined(separator: "\n") }
}

/// Something that can't be a lens, and what to do instead.
public struct SchemaPushProblem: Hashable, Sendable {
    /// Empty if it is about the push.
    public let className: String
    /// Nil if it is about the class.
    public let property: String?
    /// The declarations, as far as there are two: `age: long`, `age: string?`.
    public let old: String?
    public let new: String?
    /// Why, and what to do instead, in a sentence each.
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
