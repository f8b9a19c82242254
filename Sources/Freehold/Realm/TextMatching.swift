extension Realm {
    /// The rules for words in full-text search, and for comparisons without regard to case.
    public enum TextMatching: Sendable, Hashable {
        /// Words consist of letters and digits of all scripts, without regard to case and accents. In Chinese,
        /// Japanese, Korean and other scripts without spaces, any part of a run matches. Letters of all scripts have
        /// case.
        case unicode
        /// The rules of Realm. Words consist of letters and digits of ASCII and Latin-1, all other characters separate
        /// words, and only these letters have case.
        case latin1
    }
}
