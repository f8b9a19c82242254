// What the deletion of an object does along its links.

/// What links lead to, or hold, so that a rule can be given: objects that aren't embedded, and mixed values.
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

    /// A link, or a collection of links, with a rule for when the object that holds it is deleted.
    ///
    /// ```swift
    /// class Order: Object {
    ///     @Persisted(deleteRule: .cascade) var lines: List<OrderLine>   // go with the order
    ///     @Persisted(deleteRule: .deny) var invoice: Invoice?           // as long as there is one, the order stays
    /// }
    /// ```
    /// Without a rule the link goes and the other object stays (`DeleteRule.nullify`). A rule acts when objects are
    /// deleted, not when a link is taken away; the file keeps it, so that it holds for every program that writes to it.
    /// A deletion that is denied changes nothing and becomes the ``Realm/pendingError``.
    ///
    /// - Complexity: A deletion takes time for each object that goes with it.
    @inlinable public init(deleteRule: DeleteRule) where Value: _LinkHolder {
        self.init()
        meta = UInt32(deleteRule.rawValue) << Self.deleteRuleShift
    }

    /// The same of a link that is called otherwise in the file.
    @inlinable public init(deleteRule: DeleteRule, mapTo name: String) where Value: _LinkHolder {
        self.init(deleteRule: deleteRule)
        map(to: name)
    }

    /// The objects whose property of that name links to this one, with a rule for when this one is deleted.
    ///
    /// ```swift
    /// class Customer: Object {
    ///     @Persisted(originProperty: "customer", deleteRule: .cascade) var orders: LinkingObjects<Order>
    /// }
    /// ```
    /// Here all orders of a customer go with the customer; with `.deny` a customer who has orders can't be deleted.
    @inlinable public init(originProperty: String, deleteRule: DeleteRule) where Value: LinkingObjectsProtocol {
        self.init(originProperty: originProperty)
        meta = UInt32(deleteRule.rawValue) << Self.deleteRuleShift
    }
}
