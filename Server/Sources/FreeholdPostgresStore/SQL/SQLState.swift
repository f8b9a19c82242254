#if PostgreSQL
    internal import FreeholdSyncCore

    /// The state of the column `json` of a stream's objects, which is stored in `stream_head.sql`.
    ///
    /// Each commit compares the stored state with the state that its server knows, and is refused if they differ. A server that knows an earlier
    /// state therefore can't write objects without JSON after the conversion.
    enum SQLState: Int64 {
        /// No object has JSON.
        case off = 0
        /// Commits write JSON. Objects that were written earlier may not have JSON yet.
        case filling = 1
        /// All objects have JSON.
        case json = 2
        /// Commits don't write JSON. Objects that were written earlier may still have JSON.
        case clearing = 3

        /// A Boolean value that indicates whether commits write JSON.
        var writesJSON: Bool { self == .filling || self == .json }
    }

    /// The name of a stream in `stream.label`: empty for the app's own stream, otherwise a mark of the kind and the value.
    enum StreamLabel {
        static func text(_ name: StreamName) -> SyncString {
            let text =
                switch name.value {
                case nil: ""
                case .string(let value)?: "=" + value.string
                case let value?: ":\(value)"
                }
            // A text of PostgreSQL can't contain NUL.
            return SyncString(text.replacing("\u{0}", with: "\u{FFFD}"))
        }
    }
#endif
