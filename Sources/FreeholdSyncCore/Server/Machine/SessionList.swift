/// The sessions of a stream by rising keys, and whose they are. A file has one at most.
struct SessionList: Sendable {
    private(set) var keys: [SessionKey] = []
    private var byFile: [FileIdent: SessionKey] = [:]
    /// The views that they hold.
    private(set) var views = ViewIndex()

    var isEmpty: Bool { keys.isEmpty }

    /// - Complexity: O(log *n*): keys rise with connections. Finding a file's session is O(1).
    subscript(ident: FileIdent) -> SessionKey? { byFile[ident] }

    /// Adds a session of a file. Another one of the file isn't found by it any more.
    mutating func insert(_ key: SessionKey, of ident: FileIdent, _ view: View) {
        views.insert(key, view)
        let index = keys.partitioned { $0 >= key }
        if index == keys.count || keys[index] != key { keys.insert(key, at: index) }
        // Files without a number have nothing in common.
        if ident != .me { byFile[ident] = key }
    }

    /// - Returns: whether no session has the view any more.
    mutating func remove(_ key: SessionKey, of ident: FileIdent, _ view: ViewIdentity) -> Bool {
        defer {
            if byFile[ident] == key { byFile[ident] = nil }
        }
        let index = keys.partitioned { $0 >= key }
        if index < keys.count, keys[index] == key { keys.remove(at: index) }
        return views.remove(key, view)
    }

    /// - Returns: whether no session has the old view any more.
    mutating func move(_ key: SessionKey, from old: ViewIdentity, to new: View) -> Bool {
        guard old != new.identity else { return false }
        views.insert(key, new)
        return views.remove(key, old)
    }
}
