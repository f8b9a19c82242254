extension Realm {
    /// The action if an added object has a primary key that exists in the realm already.
    public enum UpdatePolicy: Int, Sendable {
        /// The write throws an error.
        case error = 1
        /// The stored object receives the values that differ.
        case modified = 3
        /// The stored object receives all values.
        case all = 2
    }
}
