/// A search with the full-text index of a column.
///
/// The keys of the rarest word are read first. The keys of the other words are merged with them, or each key is looked up if the other words have
/// many more keys. If the order of words matters, the texts of the remaining objects are read.
struct FullTextSearch {
    let view: DataView
    let column: Column
    let query: FullTextQuery
    private let tree: IndexTree

    /// The cost of looking up one key, as the number of keys that can be read in the same time.
    private static let lookUpCost = 24

    /// Returns `nil` if the column doesn't have an index for the query's kind of words.
    init?(_ view: DataView, _ column: Column, query: FullTextQuery) {
        guard column.indexKind.textMatching == query.matching, let tree = view.searchTree(column) else { return nil }
        self.view = view
        self.column = column
        self.query = query
        self.tree = tree
    }

    /// Returns the estimated number of objects that are found, or `nil` if the query has only exclusions.
    /// - Complexity: O(log n) for each word.
    func estimate() -> Int? {
        query.included.lazy.flatMap(\.words).map { word in
            withBounds(of: Entry(bytes: word.bytes, isPrefix: word.isPrefix)) {
                tree.estimate(lower: $0, upper: $1, in: view)
            }
        }.min()
    }

    /// Returns the objects that are found, in ascending order of keys.
    func keys() -> [ObjectKey] {
        var found: [Int64]
        var unordered: [FullTextTerm] = []
        if query.included.isEmpty {
            found = view.keys(view.schema.table(of: column)).map(\.raw)
        } else {
            let words = Set(query.included.flatMap { $0.words.map { Entry(bytes: $0.bytes, isPrefix: $0.isPrefix) } })
            let counted = words.map { (word: $0, count: count($0)) }.sorted { $0.count < $1.count }
            guard counted[0].count > 0 else { return [] }
            found = keys(of: counted[0].word)
            for (word, count) in counted.dropFirst() where !found.isEmpty { keep(&found, word, count: count) }
            unordered = query.included.filter { !$0.isSingle }
        }
        for term in query.excluded where term.isSingle && !found.isEmpty { remove(&found, term.words[0]) }
        let phrases = query.excluded.filter { !$0.isSingle }
        if !unordered.isEmpty || !phrases.isEmpty { check(&found, hasPhrase: !unordered.isEmpty, excluding: phrases) }
        return found.map { ObjectKey($0) }
    }

    /// A word without its position in a term.
    private struct Entry: Hashable {
        let bytes: [UInt8]
        let isPrefix: Bool
    }

    // MARK: Words

    private func count(_ word: FullTextTerm.Word) -> Int {
        count(Entry(bytes: word.bytes, isPrefix: word.isPrefix))
    }

    private func count(_ word: Entry) -> Int {
        withBounds(of: word) { tree.count(lower: $0, upper: $1, in: view) }
    }

    private func withBounds<R>(of word: Entry, _ body: (IndexTree.Bound, IndexTree.Bound) -> R) -> R {
        word.bytes.withUnsafeBytes { bytes in
            let lower = IndexTree.Bound(bytes, inclusive: true)
            guard word.isPrefix else { return body(lower, lower) }
            // The successor exists because the tag byte is less than FF.
            return OrderedEncoding.successor(ofPrefix: bytes)!.withUnsafeBytes {
                body(lower, IndexTree.Bound($0, inclusive: false))
            }
        }
    }

    /// Returns the number of objects with a word. For a prefix, an object counts once for each of its different words with the prefix.
    func documentCount(_ word: FullTextTerm.Word) -> Int { count(word) }

    /// The number of different words of each object, added up over all objects.
    var entryCount: Int { tree.count }

    private func keys(of word: Entry) -> [Int64] {
        var keys: [Int64] = []
        word.bytes.withUnsafeBytes { bytes in
            if word.isPrefix {
                tree.forEach(prefix: bytes, in: view) { _, key in
                    keys.append(key)
                    return true
                }
            } else {
                tree.forEach(bytes, in: view) { key in
                    keys.append(key)
                    return true
                }
            }
        }
        guard word.isPrefix else { return keys }
        keys.sort()
        var kept = 0
        for i in keys.indices where i == 0 || keys[i] != keys[i - 1] {
            keys[kept] = keys[i]
            kept += 1
        }
        keys.removeLast(keys.count - kept)
        return keys
    }

    private func keep(_ found: inout [Int64], _ word: Entry, count: Int) {
        if count > found.count * Self.lookUpCost, !word.isPrefix {
            word.bytes.withUnsafeBytes { bytes in found.removeAll { !tree.contains(bytes, $0, in: view) } }
        } else {
            filter(&found, keys(of: word), keeping: true)
        }
    }

    private func remove(_ found: inout [Int64], _ word: FullTextTerm.Word) {
        let entry = Entry(bytes: word.bytes, isPrefix: word.isPrefix)
        if !word.isPrefix, found.count < 64 || count(entry) > found.count * Self.lookUpCost {
            word.bytes.withUnsafeBytes { bytes in found.removeAll { tree.contains(bytes, $0, in: view) } }
        } else {
            filter(&found, keys(of: entry), keeping: false)
        }
    }

    /// Keeps or removes the keys that are also in the other array. Both arrays are in ascending order.
    private func filter(_ found: inout [Int64], _ others: [Int64], keeping: Bool) {
        var kept = 0
        var at = 0
        for i in found.indices {
            let key = found[i]
            while at < others.count, others[at] < key { at += 1 }
            if (at < others.count && others[at] == key) == keeping {
                found[kept] = key
                kept += 1
            }
        }
        found.removeLast(found.count - kept)
    }

    // MARK: Phrases

    /// Checks the texts for phrases. For excluded phrases, only the texts with all their words are checked.
    private func check(_ found: inout [Int64], hasPhrase: Bool, excluding phrases: [FullTextTerm]) {
        let matcher = FullTextMatcher(query, phrasesOnly: true)
        if hasPhrase { return look(through: &found, keeping: true, matcher) }
        for phrase in phrases {
            var suspects = found
            for word in phrase.words where !suspects.isEmpty {
                let entry = Entry(bytes: word.bytes, isPrefix: word.isPrefix)
                keep(&suspects, entry, count: count(entry))
            }
            look(through: &suspects, keeping: false, matcher)
            filter(&found, suspects, keeping: false)
        }
    }

    /// Keeps the keys whose texts match, or those whose texts don't.
    private func look(through found: inout [Int64], keeping: Bool, _ matcher: FullTextMatcher) {
        let keys = found
        var kept = 0
        view.forEachText(column, keys.count, key: { ObjectKey(keys[$0]) }) { i, text in
            if matcher.matches(text) == keeping {
                found[kept] = keys[i]
                kept += 1
            }
        }
        found.removeLast(found.count - kept)
    }
}
