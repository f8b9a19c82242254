/// The sessions of a connection by their numbers.
///
/// Most connections have one session. A dictionary would reserve the memory of three.
struct FrontSessions: Sequence {
    private var entries: [(key: UInt64, value: RealmSession)] = []

    var count: Int { entries.count }
    var keys: [UInt64] { entries.map(\.key) }
    var values: some Collection<RealmSession> { entries.lazy.map(\.value) }

    func makeIterator() -> IndexingIterator<[(key: UInt64, value: RealmSession)]> { entries.makeIterator() }

    private func index(of number: UInt64) -> Int? { entries.firstIndex { $0.key == number } }

    /// - Complexity: O(sessions)
    subscript(number: UInt64) -> RealmSession? {
        get { index(of: number).map { entries[$0].value } }
        _modify {
            // The session leaves the array, so that its own arrays are changed in place.
            let index = index(of: number) ?? entries.endIndex
            var session = index < entries.endIndex ? entries.remove(at: index).value : nil
            defer { if let session { entries.insert((number, session), at: index) } }
            yield &session
        }
    }

    mutating func removeValue(forKey number: UInt64) -> RealmSession? {
        index(of: number).map { entries.remove(at: $0).value }
    }
}
