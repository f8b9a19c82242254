import FreeholdSyncCore

/// One commit being merged into the stream.
struct Merge {
    let rules: OracleRules
    let commit: Commit
    let stamp: Stamp
    let version: StreamVersion
    /// For what the author saw.
    let stream: Oracle
    var objects: [ObjectName: Incarnation]
    var ingested: [ObjectName: [NewField]]
    var refusals: [Refusal] = []

    init(_ stream: Oracle, _ commit: Commit, _ stamp: Stamp) {
        self.stream = stream
        self.commit = commit
        self.stamp = stamp
        rules = stream.rules
        version = stream.version + 1
        objects = stream.objects
        ingested = stream.ingested
    }

    var ident: FileIdent { stamp.ident }

    /// The objects that the commit speaks of, in the order in which it first does.
    var touched: [ObjectName] {
        var names: [ObjectName] = []
        for change in commit.changes where !names.contains(change.object) { names.append(change.object) }
        return names
    }

    func forbidden() -> [ObjectName: RefusalReason] {
        let names = touched.filter { rules.forbids(ident, commit, $0) }
        return Dictionary(uniqueKeysWithValues: names.map { ($0, .forbidden) })
    }

    private struct Refused: Error {
        let reason: RefusalReason
    }

    /// Makes every change except those of refused objects.
    ///
    /// - Returns: An object that must be refused as well, or `nil`. If an object is returned, this attempt is void.
    mutating func attempt(without refused: [ObjectName: RefusalReason]) -> (ObjectName, RefusalReason)? {
        for (index, change) in commit.changes.enumerated() {
            do {
                if let reason = refused[change.object] {
                    leaveDeadSlots(of: change)
                    throw Dropped(reason: reason)
                }
                if case .delete(_, .cascade(let cause)) = change, refused[cause] != nil {
                    throw Refused(reason: .causeRefused)
                }
                try perform(change)
            } catch let refusal as Refused {
                return (change.object, refusal.reason)
            } catch let dropped as Dropped {
                report(change, at: index, dropped.reason)
            } catch {
                report(change, at: index, .malformed)
            }
        }
        return duplicate(without: refused).map { ($0, .notUnique) }
    }

    private mutating func report(_ change: Change, at index: Int, _ reason: RefusalReason) {
        refusals.append(Refusal(commit: commit.number, index: index, change: change, reason: reason))
    }

    // MARK: Objects

    private mutating func perform(_ change: Change) throws {
        if rules.asymmetric.contains(change.object.className) {
            guard case .create(let name, let fields) = change else { throw Dropped(reason: .createOnly) }
            if ingested[name] == nil { ingested[name] = fields }
            return
        }
        switch change {
        case .create(let name, let fields): try create(name, fields)
        case .delete(let name, _): try delete(name)
        default:
            guard let object = known(change.object) else { throw Dropped(reason: .objectGone) }
            var editor = self.editor(of: change.object, object)
            try editor.perform(change)
            editor.object.changed = version
            objects[change.object] = editor.object
        }
    }

    /// Returns whether this is the incarnation that the author meant: one that existed when the author saw the object,
    /// or one that the author created.
    private func isMeant(_ object: Incarnation, by name: ObjectName) -> Bool {
        object.born <= commit.seen[name] ?? 0 || object.makers.contains(ident)
    }

    /// The object, if it can be edited.
    private func known(_ name: ObjectName) -> Incarnation? {
        objects[name].flatMap { $0.died == nil && isMeant($0, by: name) ? $0 : nil }
    }

    private func editor(of name: ObjectName, _ object: Incarnation) -> ObjectEditor {
        let seen = commit.seen[name] ?? 0
        return ObjectEditor(
            object: object,
            confirmed: stream.object(name, at: seen),
            seen: Seen(version: seen, ident: ident),
            stamp: stamp,
            version: version
        )
    }

    /// A live object of this name is the same object. A dead one is replaced only if the author knows of the deletion.
    private mutating func create(_ name: ObjectName, _ fields: [NewField]) throws {
        var object = Incarnation(born: version, makers: [], changed: version)
        if let old = objects[name] {
            if let died = old.died {
                guard died <= commit.base || old.deleters.contains(ident) else { throw Dropped(reason: .objectGone) }
            } else {
                object = old
            }
        }
        object.makers.insert(ident)
        object.changed = version
        var editor = editor(of: name, object)
        try editor.fill(nil, with: fields)
        objects[name] = editor.object
    }

    /// A deletion beats all concurrent work. The deletion of a deleted object isn't an error.
    private mutating func delete(_ name: ObjectName) throws {
        guard var object = objects[name], isMeant(object, by: name) else { return }
        if object.died == nil {
            if isHeld(name) { throw Refused(reason: .denied) }
            object.died = version
            object.changed = version
        }
        object.deleters.insert(ident)
        objects[name] = object
    }

    /// Returns whether a `deny` link of another live object holds it, in the merged state.
    private func isHeld(_ name: ObjectName) -> Bool {
        rules.denying.contains { rule in
            objects.contains { (referrer, object) in
                referrer != name && referrer.className == rule.className && object.died == nil
                    && object.links(in: rule.property).contains(name)
            }
        }
    }

    // MARK: Unique constraints

    /// Returns the first object that the commit made equal to another in a unique constraint's values. If both objects
    /// are in the commit, it is the second one.
    private func duplicate(without refused: [ObjectName: RefusalReason]) -> ObjectName? {
        let suspects = touched.filter { refused[$0] == nil }
        for (index, name) in suspects.enumerated() {
            let later = suspects[(index + 1)...]
            for rule in rules.unique where rule.className == name.className {
                guard let values = uniqueValues(name, rule.properties) else { continue }
                let others = objects.keys.filter { $0.className == name.className && $0 != name && !later.contains($0) }
                if others.contains(where: { uniqueValues($0, rule.properties) == values }) { return name }
            }
        }
        return nil
    }

    /// Returns `nil` for a dead object, and if one of the values is null, because null isn't equal to null here.
    private func uniqueValues(_ name: ObjectName, _ properties: [SyncString]) -> [SetElement]? {
        guard let object = objects[name], object.died == nil else { return nil }
        var values: [SetElement] = []
        for property in properties {
            guard case .value(let register)? = object.record[property], case .plain(let value)? = register.value,
                value != .null, let element = SetElement(value)
            else { return nil }
            values.append(element)
        }
        return values
    }

    // MARK: Refused work

    /// Adds dead slots for the elements that a refused change would have inserted, because later work of the author
    /// names them.
    private mutating func leaveDeadSlots(of change: Change) {
        guard let object = known(change.object) else { return }
        var editor = editor(of: change.object, object)
        editor.isRefused = true
        switch change {
        case .insert, .move, .assignList: try? editor.perform(change)
        default: return
        }
        objects[change.object] = editor.object
    }
}
