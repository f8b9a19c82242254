// The effect of deleting an object on its links.

/// A type that links with a delete rule can lead to or contain: objects that aren't embedded, and mixed values.
public protocol _LinkTarget {}
/// A property type whose values are links.
public protocol _LinkHolder {}

extension Object: _LinkTarget {}
extension AnyRealmValue: _LinkTarget, _LinkHolder {}
extension Optional: _LinkTarget where Wrapped: _LinkTarget {}
extension Optional: _LinkHolder where Wrapped: _LinkTarget {}
extension List: _LinkHolder where Element: _LinkTarget {}
extension MutableSet: _LinkHolder where Element: _LinkTarget {}
extension Map: _LinkHolder where Value: _LinkTarget {}

extension Persisted {
    @usableFromInline static var deleteRuleShift: UInt32 { @inlinable @inline(__always) get { 20 } }

    /// Creates a link, or a collection of links, with a rule for the deletion of the object that contains it.
    ///
    /// ```swift
    /// class Order: Object {
    ///     @Persisted(deleteRule: .cascade) var lines: List<OrderLine>   // go with the order
    ///     @Persisted(deleteRule: .deny) var invoice: Invoice?           // as long as there is one, the order stays
    /// }
    /// ```
    /// Without a rule, the link is deleted and the linked object stays (`DeleteRule.nullify`). A rule applies when
    /// objects are deleted, not when a link is removed. The file stores the rule, so it applies to all programs that
    /// write to the file. A denied deletion changes nothing, and is recorded as ``Realm/pendingError``.
    ///
    /// - Complexity: A deletion takes time for each object that is deleted with it.
    @inlinable public init(deleteRule: DeleteRule) where Value: _LinkHolder {
        self.init()
        meta = UInt32(deleteRule.rawValue) << Self.deleteRuleShift
    }

    /// Creates a link with a delete rule and another name in the file.
    @inlinable public init(deleteRule: DeleteRule, mapTo name: String) where Value: _LinkHolder {
        self.init(deleteRule: deleteRule)
        map(to: name)
    }

    /// Creates linking objects with a rule for the deletion of this object. They are the objects whose property of that
    /// name links to this one.
    ///
    /// ```swift
    /// class Customer: Object {
    ///     @Persisted(originProperty: "customer", deleteRule: .cascade) var orders: LinkingObjects<Order>
    /// }
    /// ```
    /// In this example, all orders of a customer are deleted with the customer. With `.deny`, a customer with orders
    /// can't be deleted.
    @inlinable public init(originProperty: String, deleteRule: DeleteRule) where Value: LinkingObjectsProtocol {
        self.init(originProperty: originProperty)
        meta = UInt32(deleteRule.rawValue) << Self.deleteRuleShift
    }
}
