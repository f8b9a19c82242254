/// What the names of a query stand for: the classes and properties as the query's author sees them.
package protocol QueryNames {
    /// Returns a class, with its names.
    associatedtype Class

    func table(of cls: Class) -> Table
    func cls(named name: String) -> Class?
    func className(of cls: Class) -> String
    /// Of all classes, for near names in errors.
    var classNames: [String] { get }
    /// Nil where the class has no such property.
    func property(named name: String, of cls: Class) -> NamedProperty<Class>?
    func propertyNames(of cls: Class) -> [String]

    /// Returns the object with a primary key, or `nil` if there is none.
    func object(withPrimaryKey primaryKey: Value, in table: Table) -> ObjectKey?

    /// What an argument stands for, compared with values of that column (nil: with the object reached, of the class
    /// given). Nil for an object that no link can lead to.
    func constant(_ argument: Any, for column: Column?, of target: Class?) throws(QueryError) -> Constant?

    /// Returns the short way for a property compared with an argument of just its type, which most conditions are. Nil for all others, mistakes too.
    func plain(_ name: String, of cls: Class, _ argument: Any) -> (column: Column, value: Value)?

    /// Returns the members of an argument that is stored as an embedded object, or `nil` for all others.
    func members(of argument: Any) throws(QueryError) -> MemberValues?
}

extension QueryNames {
    package func plain(_ name: String, of cls: Class, _ argument: Any) -> (column: Column, value: Value)? { nil }
    package func members(of argument: Any) throws(QueryError) -> MemberValues? { argument as? MemberValues }
}

package struct NamedProperty<Class> {
    package enum Kind {
        case column(Column)
        /// The objects whose column (aimed at the class's table) links here.
        case inverse(Column)
    }

    package var kind: Kind
    /// Of links and inverse links: the class they lead to.
    package var target: Class?

    package init(_ kind: Kind, target: Class?) {
        self.kind = kind
        self.target = target
    }
}
