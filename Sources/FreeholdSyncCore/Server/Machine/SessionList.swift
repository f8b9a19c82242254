/// The sessions of a stream by rising keys, and whose they are. A file has one at most.
struct SessionList: Sendable {
    private(set) var keys: [SessionKey] = []
    private var byFile: [FileIdent: SessionKey] = [:]

    var isEmpty: Bool { keys.isEmpty }

    /// - Complexity: O(log *n*): keys rise with connections. Finding a file's session is O(1).
    subscript(ident: FileIdent) -> SessionKey? { byFile[ident] }

    /// Adds a session of a file. Another one of the file isn't found by it any more.
    mutating func insert(_ key: SessionKey, of ident: FileIdent) {
        let index = keys.partitioned { $0 >= key }
        if index == keys.count || keys[index] != key { keys.insert(key, at: index) }
        byFile[ident] = key
    }

    mutating func remove(_ key: SessionKey, of ident: FileIdent) {
        let index = keys.partitioned { $0 >= key }
        if index < keys.count, keys[index] == key { keys.remove(at: index) }
        if byFile[ident] == key { byFile[ident] = nil }
    }
}
