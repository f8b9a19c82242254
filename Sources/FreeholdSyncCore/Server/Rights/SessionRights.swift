/// What the user of a session may see and write (sync-design.md, section 10). Who knows an app's rules makes it; it is asked often, and must
/// always answer alike.
public protocol SessionRights: Sendable {
    /// A condition that finds what the user may see of what a query asks for.
    ///
    /// - Throws: `ConditionError` if the query can't be read, or asks for what is hidden.
    func narrowed(_ query: ClassQuery) throws(ConditionError) -> SyncString

    /// Which fields of a class's objects are shown. Nil: all of them.
    func mask(of className: SyncString) -> FieldMask?

    /// Whether the user may do anything to objects of a class, so that no write has to be looked at.
    func writesAll(of className: SyncString) -> Bool

    /// Whether a write is allowed that makes one state of another.
    ///
    /// - Parameters:
    ///   - before: nil if the object wasn't there.
    ///   - after: nil if it goes.
    func allows(
        _ name: ObjectName,
        before: [SyncString: MergedContent]?,
        after: [SyncString: MergedContent]?
    ) -> Bool

    /// Returns the field for which a write isn't allowed, as `Refusal.field` has it. Returns `nil` if no single field is the cause.
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
