/// The changes of a full-text index's entries when strings of its column change. Each different word of an object has one entry.
///
/// It belongs to the pending changes of its index, and therefore to their transaction.
final class TextWords {
    private let tokenizer: TextTokenizer
    private let words = TokenSet()
    private let oldWords = TokenSet()

    init(_ matching: TextMatching) { tokenizer = TextTokenizer(matching) }

    private func read(_ text: UnsafeRawBufferPointer?, _ set: TokenSet) {
        set.removeAll()
        guard let text else { return }
        var sink = TokenCollector(set: set)
        tokenizer.forEach(text, &sink)
    }

    /// - Parameter text: the text, or `nil` for null, which doesn't contain words.
    func insert(_ text: UnsafeRawBufferPointer?, _ key: Int64, in changes: IndexChanges) {
        read(text, words)
        words.forEach { changes.insert($0, key) }
    }

    func remove(_ text: UnsafeRawBufferPointer?, _ key: Int64, in changes: IndexChanges) {
        read(text, words)
        words.forEach { changes.remove($0, key) }
    }

    /// Replaces the entries of a text. Only the differences become changes.
    func replace(
        _ old: UnsafeRawBufferPointer?,
        with new: UnsafeRawBufferPointer?,
        key: Int64,
        in changes: IndexChanges
    ) {
        read(old, oldWords)
        read(new, words)
        oldWords.forEach { if !words.contains($0) { changes.remove($0, key) } }
        words.forEach { if !oldWords.contains($0) { changes.insert($0, key) } }
    }

    /// Returns the entries of a string. Checks use it.
    func entries(_ value: Value) -> [[UInt8]] {
        value.withText { read($0, words) }
        var out: [[UInt8]] = []
        words.forEach { out.append(Array($0)) }
        return out
    }
}

extension Value {
    /// Calls the body with the bytes of a string, or with `nil` for null.
    func withText<R>(_ body: (UnsafeRawBufferPointer?) -> R) -> R {
        guard case .string = self else { return body(nil) }
        return withStoredBytes { body($0) }
    }
}
