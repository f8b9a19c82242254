/// How a file of CSV is written, and what its columns are.
struct CSVLayout {
    var delimiter: UInt8
    /// Whether the first record names the columns.
    var hasHeader = true
    /// The properties of the columns where the header doesn't name them; nil for a column that is passed over.
    var names: [String?]?
    /// Whether fields that a record lacks at its end are empty.
    var pads = false
}
