/// The rights of a session's user to read and write (sync-design.md, section 10). The owner of an app's rules supplies
/// the rights. The methods are called often, and must always return the same results.
public protocol SessionRights: Sendable {
    /// Returns a condition that finds the objects of a query which the user has the right to read.
    ///
    /// - Throws: `ConditionError` if the query is invalid, or if it uses hidden fields.
    func narrowed(_ query: ClassQuery) throws(ConditionError) -> SyncString

    /// Returns the fields of a class's objects that are shown. Returns `nil` if all of them are shown.
    func mask(of className: SyncString) -> FieldMask?

    /// Returns whether the user has the right to make any change to objects of a class. Then writes needn't be checked.
    func writesAll(of className: SyncString) -> Bool

    /// Returns whether a write from one state of an object to another is allowed.
    ///
    /// - Parameters:
    ///   - before: The state before the write. `nil` if the object didn't exist.
    ///   - after: The state after the write. `nil` if the write deletes the object.
    func allows(
        _ name: ObjectName,
        before: [SyncString: MergedContent]?,
        after: [SyncString: MergedContent]?
    ) -> Bool

    /// Returns the field for which a write isn't allowed, in the format of `Refusal.field`. Returns `nil` if no single
    /// field is the cause.
    func forbiddenField(
        of name: ObjectName,
        before: [SyncString: MergedContent]?,
        after: [SyncString: MergedContent]?
    ) -> SyncString?
}

extension SessionRights {
    public func forbiddenField(
        of name: ObjectName,
        before: [SyncString: MergedContent]?,
        after: [SyncString: MergedContent]?
    ) -> SyncString? { nil }
}
