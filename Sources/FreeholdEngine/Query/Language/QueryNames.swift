/// The classes and properties that the names of a query stand for, as the author of the query sees them.
package protocol QueryNames {
    /// The representation of a class, with its names.
    associatedtype Class

    func table(of cls: Class) -> Table
    func cls(named name: String) -> Class?
    func className(of cls: Class) -> String
    /// The names of all classes, for suggestions in errors.
    var classNames: [String] { get }
    /// Returns a property, or `nil` if the class doesn't have a property of that name.
    func property(named name: String, of cls: Class) -> NamedProperty<Class>?
    func propertyNames(of cls: Class) -> [String]

    /// Returns the object with a primary key, or `nil` if there is none.
    func object(withPrimaryKey primaryKey: Value, in table: Table) -> ObjectKey?

    /// Returns the constant that an argument stands for when it is compared with values of the column. Without a column, it is compared with objects
    /// of the class. Returns `nil` for an object that no link can lead to.
    func constant(_ argument: Any, for column: Column?, of target: Class?) throws(QueryError) -> Constant?

    /// Returns the column and the value if a property is compared with an argument of exactly its type. Most conditions are, and they skip the
    /// general conversion. Returns `nil` in all other cases, including errors.
    func plain(_ name: String, of cls: Class, _ argument: Any) -> (column: Column, value: Value)?

    /// Returns the members of an argument that is stored as an embedded object, or `nil` for all other arguments.
    func members(of argument: Any) throws(QueryError) -> MemberValues?
}

extension QueryNames {
    package func plain(_ name: String, of cls: Class, _ argument: Any) -> (column: Column, value: Value)? { nil }
    package func members(of argument: Any) throws(QueryError) -> MemberValues? { argument as? MemberValues }
}

package struct NamedProperty<Class> {
    package enum Kind {
        case column(Column)
        /// The objects that link to this object through the column. The column's target is this class's table.
        case inverse(Column)
    }

    package var kind: Kind
    /// The class that a link or an inverse link leads to.
    package var target: Class?

    package init(_ kind: Kind, target: Class?) {
        self.kind = kind
        self.target = target
    }
}
