/// The options for ``Realm/importJSON(from:into:update:options:)-(URL,_,_,_)``.
public struct JSONImportOptions: Sendable {
    public enum Format: Sendable {
        /// An array if the text begins with a bracket, or lines otherwise.
        case automatic
        /// One array of objects.
        case array
        /// A sequence of objects, usually one in each line, separated by white space.
        case lines
    }

    public enum UnknownKeys: Sendable {
        case ignored
        case refused
    }

    public var format = Format.automatic
    /// The handling of keys that aren't names of properties of their class.
    public var unknownKeys = UnknownKeys.ignored
    /// The meaning of a number for a date property. Strings are always read as ISO 8601.
    public var dates = JSONDateFormat.iso8601
    /// The number of objects that are stored in one transaction. If it is `nil`, all objects are stored in one
    /// transaction, so that an error leaves the realm unchanged. With batches, the batches before the error remain
    /// stored (see ``JSONError/committed``).
    public var batchSize: Int?

    public init(
        format: Format = .automatic,
        unknownKeys: UnknownKeys = .ignored,
        dates: JSONDateFormat = .iso8601,
        batchSize: Int? = nil
    ) {
        self.format = format
        self.unknownKeys = unknownKeys
        self.dates = dates
        self.batchSize = batchSize
    }
}
