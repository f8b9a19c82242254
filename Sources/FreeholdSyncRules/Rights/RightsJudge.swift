public import FreeholdSyncCore

/// Decides whether the rights of a user allow writes of objects of one class. The conditions are compiled once.
public struct RightsJudge: Sendable {
    public typealias Contents = [SyncString: MergedContent]

    public let rights: ClassRights
    private let read: any CompiledCondition
    private let write: any CompiledCondition
    private let insert: any CompiledCondition
    private let delete: any CompiledCondition

    /// - Parameter schema: The stored classes, as far as they are known.
    /// - Throws: `ConditionError` for conditions that the matcher doesn't support.
    public init(
        _ rights: ClassRights,
        _ matcher: some ConditionMatcher = QueryMatcher(),
        in schema: ConditionSchema? = nil
    ) throws(ConditionError) {
        func compiled(_ condition: RuleCondition) throws(ConditionError) -> any CompiledCondition {
            let compiled = try matcher.compile(
                SyncString(rights.className),
                SyncString(condition.text),
                in: schema
            )
            if compiled.goesThroughLinks {
                throw ConditionError(position: 0, text: "A right can't depend on what lies behind a link.")
            }
            return compiled
        }
        self.rights = rights
        read = try compiled(rights.read)
        write = try compiled(rights.write)
        insert = try compiled(rights.insert)
        delete = try compiled(rights.delete)
    }

    /// Returns whether an object can be read. Its field rights aren't considered.
    public func canRead(_ name: ObjectName, _ contents: Contents) -> Bool { read.matches(name, contents) }

    /// Returns the readable fields of an object, or `nil` if the object can't be read.
    public func readable(_ name: ObjectName, _ contents: Contents) -> Contents? {
        canRead(name, contents) ? rights.fields.readable(contents) : nil
    }

    /// Returns the refusal of a write from one state of an object to another.
    ///
    /// - Parameters:
    ///   - before: The state before the write. `nil` if the object didn't exist.
    ///   - after: The state after the write. `nil` if the write deletes the object.
    /// - Returns: `nil` if the write is allowed or changes nothing.
    public func refusal(_ name: ObjectName, before: Contents?, after: Contents?) -> WriteRefusal? {
        switch (before, after) {
        case (nil, nil): return nil
        case (nil, let after?):
            guard rights.role != nil else { return refusal(.noRole) }
            guard insert.matches(name, after) else { return refusal(.insert) }
            return rights.fields.forbiddenChange(from: [:], to: after).map { refusal(.field($0)) }
        case (let before?, let after):
            guard rights.role != nil else { return refusal(.noRole) }
            // This check is first, so that the other refusals reveal nothing about hidden objects.
            guard read.matches(name, before) else { return refusal(.notReadable) }
            guard let after else { return delete.matches(name, before) ? nil : refusal(.delete) }
            if before == after { return nil }
            guard write.matches(name, before) else { return refusal(.write) }
            if let field = rights.fields.forbiddenChange(from: before, to: after) { return refusal(.field(field)) }
            return write.matches(name, after) ? nil : refusal(.result)
        }
    }

    private func refusal(_ reason: WriteRefusal.Reason) -> WriteRefusal {
        WriteRefusal(className: rights.className, role: rights.role, reason: reason)
    }
}

/// The reason why a write isn't allowed. It reveals nothing that the user can't see.
public struct WriteRefusal: Hashable, Sendable {
    public enum Reason: Hashable, Sendable {
        /// No role applies to the user.
        case noRole
        /// The object isn't visible to the user.
        case notReadable
        /// The object can't be created with these values.
        case insert
        /// The object can't be deleted.
        case delete
        /// The object can't be changed.
        case write
        /// The object can't have the values that the write gives it.
        case result
        /// A field can't be written.
        case field([SyncString])
    }

    public let className: String
    public let role: String?
    public let reason: Reason
}

extension WriteRefusal: CustomStringConvertible {
    /// A sentence for the author of the write.
    public var description: String {
        let who = role.map { "The role '\($0)' " } ?? "The user "
        return switch reason {
        case .noRole: "No role for '\(className)' applies to the user."
        case .notReadable: who + "has no such object of '\(className)'."
        case .insert: who + "can't create this object of '\(className)'."
        case .delete: who + "can't delete this object of '\(className)'."
        case .write: who + "can't change this object of '\(className)'."
        case .result: who + "can't make this of the object of '\(className)'."
        case .field(let path): who + "can't write '\(path.map(\.string).joined(separator: "."))' of '\(className)'."
        }
    }
}
