/// The parts of a value that are shown before it is cut.
struct ValueLimits: Sendable {
    /// The number of characters (Unicode scalars) of a string.
    var characters: Int
    /// The number of elements of a collection.
    var elements: Int
    /// The number of fields of an embedded object.
    var fields: Int
    /// The levels of embedded objects and of collections in mixed values.
    var depth: Int

    /// The limits of a cell in a table.
    static let cell = ValueLimits(characters: 256, elements: 3, fields: 4, depth: 2)
    /// The limits of a field of an object that is shown alone.
    static let field = ValueLimits(characters: 4_096, elements: 50, fields: 256, depth: 8)
    /// The number of characters of a title.
    static let title = 120
}
