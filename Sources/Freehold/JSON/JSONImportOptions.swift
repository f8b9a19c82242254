/// What ``Realm/importJSON(from:into:update:options:)-(URL,_,_,_)`` makes of its input.
public struct JSONImportOptions: Sendable {
    public enum Format: Sendable {
        /// An array if the text begins with a bracket, else lines.
        case automatic
        /// One array of objects.
        case array
        /// Objects one after the other, usually one a line, with white space between them.
        case lines
    }

    public enum UnknownKeys: Sendable {
        case ignored
        case refused
    }

    public var format = Format.automatic
    /// Keys that name no property of their class.
    public var unknownKeys = UnknownKeys.ignored
    /// What a number stands for where a date is expected. Text is read by ISO 8601 in any case.
    public var dates = JSONDateFormat.iso8601
    /// How many objects are stored in one transaction. Nil stores all of them in one, so that an error leaves
    /// everything as it was; with batches, what was stored before the error stays (see ``JSONError/committed``).
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
