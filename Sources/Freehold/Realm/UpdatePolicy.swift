extension Realm {
    /// What adding an object does when one with its primary key is in the realm already.
    public enum UpdatePolicy: Int, Sendable {
        /// It is an error, which the write throws.
        case error = 1
        /// The stored object takes the values that differ.
        case modified = 3
        /// The stored object takes all values.
        case all = 2
    }
}
