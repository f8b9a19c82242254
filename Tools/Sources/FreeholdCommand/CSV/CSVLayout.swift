/// The format of a CSV file, and its columns.
struct CSVLayout {
    var delimiter: UInt8
    /// A Boolean value that indicates whether the first record contains the names of the columns.
    var hasHeader = true
    /// The properties of the columns if the header doesn't contain them. An element is nil for a column that is
    /// skipped.
    var names: [String?]?
    /// A Boolean value that indicates whether fields that a record lacks at its end are empty.
    var pads = false
}
