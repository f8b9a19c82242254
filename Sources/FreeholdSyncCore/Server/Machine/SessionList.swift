/// The sessions of a stream in ascending order, and the session of each file. A file has at most one session.
struct SessionList: Sendable {
    private(set) var keys: [SessionKey] = []
    private var byFile: [FileIdent: SessionKey] = [:]
    /// The views of the sessions.
    private(set) var views = ViewIndex()

    var isEmpty: Bool { keys.isEmpty }

    /// The session of a file.
    ///
    /// - Complexity: O(1)
    subscript(ident: FileIdent) -> SessionKey? { byFile[ident] }

    /// Adds a session, which becomes the session of the file.
    ///
    /// - Complexity: O(log *n*) for the greatest key. New connections have the greatest keys.
    mutating func insert(_ key: SessionKey, of ident: FileIdent, _ view: View) {
        views.insert(key, view)
        let index = keys.partitioned { $0 >= key }
        if index == keys.count || keys[index] != key { keys.insert(key, at: index) }
        // Sessions without a number of a file belong to different files.
        if ident != .me { byFile[ident] = key }
    }

    /// Returns the views for a comparison with a step. From then on, ``ViewIndex/added`` contains the views that the comparison lacks.
    mutating func startStep() -> ViewIndex {
        views.added = []
        return views
    }

    /// Removes a session.
    ///
    /// - Returns: A Boolean value that indicates whether no session has the view any more.
    mutating func remove(_ key: SessionKey, of ident: FileIdent, _ view: ViewIdentity) -> Bool {
        defer {
            if byFile[ident] == key { byFile[ident] = nil }
        }
        let index = keys.partitioned { $0 >= key }
        if index < keys.count, keys[index] == key { keys.remove(at: index) }
        return views.remove(key, view)
    }

    /// Replaces the view of a session.
    ///
    /// - Returns: A Boolean value that indicates whether no session has the old view any more.
    mutating func move(_ key: SessionKey, from old: ViewIdentity, to new: View) -> Bool {
        guard old != new.identity else { return false }
        views.insert(key, new)
        return views.remove(key, old)
    }
}
