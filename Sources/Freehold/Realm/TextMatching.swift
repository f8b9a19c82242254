extension Realm {
    /// How strings are searched for words and compared without regard to case.
    public enum TextMatching: Sendable, Hashable {
        /// Words are letters and digits of every script, without regard to case and accents; Chinese, Japanese, Korean
        /// and other scripts without spaces are found by any part of a run. Every script's letters have case.
        case unicode
        /// As in Realm: words are letters and digits of ASCII and Latin-1, all else separates them, and only those
        /// letters have case.
        case latin1
    }
}
