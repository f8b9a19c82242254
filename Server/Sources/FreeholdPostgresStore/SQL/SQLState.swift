#if PostgreSQL
    internal import FreeholdSyncCore

    /// What the column `json` of a stream's objects has (`stream_head.sql`).
    ///
    /// Each commit compares the state with the one that its server knows, and does nothing if it has changed. So a server that knows an earlier
    /// state can't write objects without JSON after the conversion has passed them.
    enum SQLState: Int64 {
        /// No object has JSON.
        case off = 0
        /// Commits write JSON. Objects that were written before may have none yet.
        case filling = 1
        /// All objects have JSON.
        case json = 2
        /// Commits write no JSON. Objects that were written before may still have it.
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
            // PostgreSQL's texts have no NUL.
            return SyncString(text.replacing("\u{0}", with: "\u{FFFD}"))
        }
    }
#endif
