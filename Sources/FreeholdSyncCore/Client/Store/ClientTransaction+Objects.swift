extension ClientTransaction {
    /// Changes the shadow of an object, and writes the differences that result to the file.
    mutating func change(_ name: ObjectName, _ body: (inout Shadow) throws -> Void) throws {
        var shadow =
            try shadow(of: name) ?? Shadow(contents: contents(of: name), version: version(of: name))
        let before = shadow.shown
        try body(&shadow)
        do { try perform(ShownDifference(name, from: before, to: shadow.shown).edits) } catch is MisplacedEdit {
            // The content that the file shows differs from the result of the pending work.
            try perform(ShownDifference(name, from: contents(of: name), to: shadow.contents).edits)
        }
        try setVersion(shadow.version, of: name)
        try setShadow(shadow.isClean ? nil : shadow, of: name)
    }

    /// Creates an object that the file doesn't have and that has no pending work.
    ///
    /// - Returns: `false` if the conditions aren't fulfilled. Then nothing is changed.
    private mutating func makeNew(_ name: ObjectName, _ content: ObjectUpdate.Content) throws -> Bool {
        guard case .whole(let version, _, let fields) = content, try shadow(of: name) == nil,
            try contents(of: name) == nil
        else { return false }
        try perform([.create(name, [SyncString: MergedContent](confirmed: fields), defaults: [])])
        try setVersion(version, of: name)
        try setShadow(nil, of: name)
        return true
    }

    /// Applies differences of lists to an object that has no pending work. It doesn't read the elements of the lists.
    ///
    /// - Returns: `false` if the conditions aren't fulfilled. Then nothing is changed.
    /// - Throws: `MisfitUpdate` if the difference doesn't fit the content of the file. Then nothing is changed.
    private mutating func editLists(_ name: ObjectName, _ content: ObjectUpdate.Content) throws -> Bool {
        guard case .difference(let version, let base, let fields) = content, version >= base,
            try shadow(of: name) == nil, try self.version(of: name) == base
        else { return false }
        var edits: [LocalEdit] = []
        var rest: [FieldDifference] = []
        for field in fields {
            if case .list(let difference) = field.content, let count = try count(ofList: field.name, of: name),
                let own = try difference.edits(of: LocalPlace(name, field.name), length: count)
            {
                edits += own
            } else {
                rest.append(field)
            }
        }
        if rest.count == fields.count { return false }
        if !rest.isEmpty {
            guard let contents = try contents(of: name, only: Set(rest.map(\.name))) else { return false }
            let old = ClientFields(contents)
            let reader = UpdateReader(
                ownVersions: [],
                keepsDead: false,
                elements: [:],
                lastVersion: base,
                version: version
            )
            edits += ShownDifference(name, from: old, to: try reader.fields(rest, in: old)).edits
        }
        try perform(edits)
        try setVersion(version, of: name)
        try setShadow(nil, of: name)
        return true
    }

    /// Applies updates of objects of one class.
    ///
    /// - Returns: The file's own work that was replaced by other files' creates of the same keys. It is kept for the
    ///   app.
    @discardableResult
    mutating func take(_ batch: ClassBatch) throws -> [Refusal] {
        var replaced: [Refusal] = []
        for update in batch.objects {
            let name = ObjectName(batch.className, update.key)
            if care.skipped.contains(name) {
                state.wanted.remove(name)
                continue
            }
            let work = update.contested.isEmpty ? nil : try ContestedWork(update.contested, of: name, in: self)
            try take(update, name)
            guard let refusal = try work?.refusal(self) else { continue }
            try keep(.refused(refusal))
            replaced.append(refusal)
        }
        return replaced
    }

    private mutating func take(_ update: ObjectUpdate, _ name: ObjectName) throws {
        if case .present(let version) = update.content {
            if try self.version(of: name) != version { state.wanted.insert(name) }
            return
        }
        if case .whole(let version, let born, _) = update.content, version < born {
            // A correct server never sends this.
            state.wanted.insert(name)
            return
        }
        do {
            try about(name) { transaction in
                if try !transaction.makeNew(name, update.content), try !transaction.editLists(name, update.content) {
                    try transaction.change(name) { try $0.apply(update.content) }
                }
            }
            // A difference that fits doesn't repair an object that is requested. Only a complete update does.
            if !state.wanted.isEmpty, update.content.isAll { state.wanted.remove(name) }
        } catch is MisfitUpdate {
            state.wanted.insert(name)
        }
    }

    /// Removes answered changes that the confirmed state contains, up to a version of the stream.
    mutating func settle(upTo version: StreamVersion) throws {
        // The objects in the order of their first commits, which is the same at each run.
        var (objects, settled, deleted) = ([ObjectName](), Set<ObjectName>(), Set<ObjectName>())
        while state.firstPending <= state.lastCommit, let commit = try commit(state.firstPending),
            let taken = commit.version, taken <= version
        {
            for name in commit.commit.objects where settled.insert(name).inserted { objects.append(name) }
            for case .delete(let name, _) in commit.commit.changes { deleted.insert(name) }
            state.firstPending += 1
        }
        for name in objects where !care.skipped.contains(name) {
            // Many transactions can be about one object. It is replayed once.
            try about(name) { transaction in
                if try transaction.shadow(of: name) != nil { try transaction.change(name) { $0.settle(upTo: version) } }
            }
        }
        for name in deleted where try self.version(of: name) != nil {
            // The refusal of the deletion restored the object as it was at that time. The object may have been deleted
            // since, and the server reports no deletion of an object that wasn't in the view before.
            state.wanted.insert(name)
        }
        for (taken, names) in state.forked where taken <= version {
            state.forked[taken] = nil
            for name in names where try shadow(of: name) != nil { try change(name) { $0.settle(upTo: version) } }
        }
    }

    /// Returns the classes whose objects in the file differ from the server's checksums. It leaves out classes that can't
    /// be compared yet: those with objects that are requested or can't be stored, and those with a deletion that the server
    /// has answered but that isn't confirmed. The refusal of a deletion restores an object from a later version than the
    /// file has.
    func mismatches(_ sums: Checksums) throws -> [SyncString] {
        guard sums.view == state.view else { return [] }
        var wrong: [SyncString] = []
        var named = Set(state.wanted.map(\.className)).union(care.skipped.map(\.className))
        var number = state.firstPending
        while number <= state.acknowledged {
            for case .delete(let name, _) in try commit(number)?.commit.changes ?? [] { named.insert(name.className) }
            number += 1
        }
        for sum in sums.classes where named.insert(sum.className).inserted {
            if try checksum(of: sum.className) != sum { wrong.append(sum.className) }
        }
        for name in try confirmedClasses() where !named.contains(name) {
            if try checksum(of: name).count > 0 { wrong.append(name) }
        }
        return wrong
    }

    // MARK: Reports to the server

    /// Returns the objects with pending work, and the versions of them that the file has.
    func held() throws -> [HeldObject] {
        try shadowed().compactMap { name in try version(of: name).map { HeldObject(name: name, version: $0) } }
    }

    /// Returns the least version that unsent work can name, or `nil` without unsent work.
    func leastBase() throws -> StreamVersion? {
        guard try state.acknowledged < state.lastCommit || !localCommits().isEmpty else { return nil }
        var least = state.cursor?.version ?? 0
        var number = state.acknowledged + 1
        while number <= state.lastCommit {
            if let commit = try commit(number)?.commit {
                least = commit.seen.values.reduce(min(least, commit.base), min)
            }
            number += 1
        }
        return least
    }
}

extension ObjectUpdate.Content {
    /// A Boolean value that indicates whether the message describes the whole object.
    fileprivate var isAll: Bool {
        switch self {
        case .whole, .erased: true
        case .difference, .present: false
        }
    }
}

extension Commit {
    /// The objects that the changes are about, each once.
    var objects: [ObjectName] {
        var known: Set<ObjectName> = []
        known.reserveCapacity(changes.count)
        return changes.map(\.object).filter { known.insert($0).inserted }
    }
}
