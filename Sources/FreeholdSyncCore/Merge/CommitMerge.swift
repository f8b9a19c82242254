/// An attempt to merge a commit without the objects that are already refused.
struct CommitMerge {
    private let commit: Commit
    private let stamp: Stamp
    private let version: StreamVersion
    private let rules: MergeRules
    private let refused: [ObjectName: RefusalReason]
    private let parents: [FileParent]
    /// The handling of the commit if its base is before the horizon.
    private var old: OldWork?
    /// The rights of the author. `nil` if the author may write everything.
    private let rights: (any SessionRights)?
    private let isShared: Bool
    private let lensed: LensedCommit?
    /// The contents of the objects before the commit, for a commit from before the horizon.
    private var images: [ObjectName: [SyncString: MergedContent]] = [:]

    /// The present state of the objects that the commit is about.
    private var objects: [Target] = []
    private var places: [ObjectName: Int] = [:]
    /// The objects of classes with properties whose delete rule is `deny`, by class.
    private var referrers: [SyncString: [ObjectName]] = [:]
    private var ingested: [(ObjectName, [NewField])] = []
    private(set) var refusals: [Refusal] = []
    /// The forbidden fields of forbidden objects, by the names that the commit has for the objects.
    private(set) var forbiddenFields: [ObjectName: SyncString] = [:]

    private struct Target {
        let name: ObjectName
        /// The present state. `nil` if the object doesn't exist.
        var object: MergedObject?
        let seen: StreamVersion
        let refusal: RefusalReason?
    }

    init(
        _ commit: Commit,
        _ stamp: Stamp,
        _ version: StreamVersion,
        _ rules: MergeRules,
        _ refused: [ObjectName: RefusalReason],
        _ parents: [FileParent],
        _ old: OldWork?,
        _ rights: (any SessionRights)?,
        _ isShared: Bool,
        _ lensed: LensedCommit?
    ) {
        (self.commit, self.stamp, self.version, self.rules, self.refused) = (commit, stamp, version, rules, refused)
        (self.parents, self.old, self.rights, self.isShared, self.lensed) = (parents, old, rights, isShared, lensed)
    }

    /// Applies the changes.
    ///
    /// - Returns: The objects that this attempt refuses, with the reasons. If there are any, nothing may be written,
    ///   and another attempt without these objects follows.
    mutating func run(_ store: inout some MergeStore) throws -> [ObjectName: RefusalReason] {
        let isRevocable = isRevocable
        places.reserveCapacity(commit.changes.count)
        // The refusal of one deletion never makes the refusal of another one unnecessary, so all are returned together.
        var denied: [ObjectName: RefusalReason] = [:]
        for (index, change) in commit.changes.enumerated() {
            if lensed?.malformed.contains(index) == true {
                refuse(index, .malformed)
                continue
            }
            let name = change.object
            let place = try place(of: name, isRevocable, &store)
            let (seen, refusal) = (objects[place].seen, objects[place].refusal)
            let author = Author(
                stamp: stamp,
                version: version,
                seen: seen,
                parents: parents,
                isShared: isShared,
                isRefused: refusal != nil,
                fill: lensed?.fills[index]
            )
            if let refusal {
                performRefused(change, place, author)
                refuse(index, refusal)
                continue
            }
            if !rules.createOnly.isEmpty, case .create(_, let fields) = change,
                rules.createOnly.contains(name.className)
            {
                ingested.append((name, fields))
            } else if old != nil {
                performOld(change, index, place, author)
            } else if let reason = perform(change, place, author) {
                refuse(index, reason)
            }
            if case .delete = change, denied.isEmpty || !rules.refusesWholeCommits, try isDenied(name, store) {
                denied[name] = .denied
            }
        }
        if !denied.isEmpty { return denied }
        let forbidden = try forbidden(store)
        if !forbidden.isEmpty { return forbidden }
        return try duplicates(store)
    }

    /// Refuses all changes. Only the objects in which refused elements leave places are read.
    mutating func refuseAll(_ refusal: CommitRefusal, _ store: inout some MergeStore) throws {
        for (index, change) in commit.changes.enumerated() {
            if lensed?.malformed.contains(index) == true {
                refuse(index, .malformed)
                continue
            }
            if refusal.leavesPlaces, change.leavesPlaces {
                let place = try place(of: change.object, false, &store)
                let author = Author(
                    stamp: stamp,
                    version: version,
                    seen: objects[place].seen,
                    parents: parents,
                    isShared: isShared,
                    isRefused: true,
                    fill: lensed?.fills[index]
                )
                performRefused(change, place, author)
            }
            refuse(index, refusal.reason)
        }
    }

    /// Returns the objects that the author has no right to change in this way.
    private mutating func forbidden(_ store: some MergeStore) throws -> [ObjectName: RefusalReason] {
        guard let rights else { return [:] }
        var forbidden: [ObjectName: RefusalReason] = [:]
        var fields: [ObjectName: SyncString] = [:]
        func check(_ name: ObjectName, _ before: MergedObject?, _ after: MergedObject?) {
            // States aren't compared for an object if the commit changes a hidden field of it, because the result would
            // reveal whether the field has another value.
            guard refused[name] == nil, forbidden[name] == nil, !rights.writesAll(of: name.className) else { return }
            let states = [before, after].map { object in object.flatMap { $0.isAlive ? $0.contents : nil } }
            guard !rights.allows(name, before: states[0], after: states[1]) else { return }
            forbidden[name] = .forbidden
            // Authors with another version of the schema have other names for the field.
            if lensed == nil { fields[name] = rights.forbiddenField(of: name, before: states[0], after: states[1]) }
        }
        for change in commit.changes where refused[change.object] == nil && forbidden[change.object] == nil {
            let name = change.object
            guard !rights.writesAll(of: name.className) else { continue }
            let exists = rules.createOnly.contains(name.className) ? false : try store.object(name)?.isAlive == true
            guard let field = rights.hiddenField(of: change, exists: exists) else { continue }
            forbidden[name] = .forbidden
            if lensed == nil { fields[name] = field }
        }
        for target in objects { check(target.name, try store.object(target.name), target.object) }
        for (name, fields) in ingested { check(name, nil, MergedObject(ingested: fields)) }
        forbiddenFields = fields
        return forbidden
    }

    private mutating func place(
        of name: ObjectName,
        _ isRevocable: Bool,
        _ store: inout some MergeStore
    ) throws -> Int {
        if let last = objects.last, last.name == name { return objects.count - 1 }
        if let known = places[name] { return known }
        let object = isRevocable ? try store.object(name) : try store.take(name)
        places[name] = objects.count
        if !rules.denying.isEmpty, rules.denying.contains(where: { $0.className == name.className }) {
            referrers[name.className, default: []].append(name)
        }
        let refusal = refused.isEmpty ? nil : refused[name]
        objects.append(Target(name: name, object: object, seen: commit.seen[name] ?? 0, refusal: refusal))
        return objects.count - 1
    }

    /// A Boolean value that indicates whether the merged state may cause a refusal.
    private var isRevocable: Bool {
        if let rights, commit.changes.contains(where: { !rights.writesAll(of: $0.object.className) }) { return true }
        if !rules.denying.isEmpty, commit.changes.contains(where: { if case .delete = $0 { true } else { false } }) {
            return true
        }
        return rules.unique.contains { unique in
            commit.changes.contains { $0.object.className == unique.className }
        }
    }

    /// Writes the merged objects to the store.
    mutating func finish(_ store: inout some MergeStore) throws {
        for (name, fields) in ingested { try store.ingest(name, fields) }
        for index in objects.indices {
            objects[index].object?.finish()
            if let object = objects[index].object { try store.put(objects[index].name, object) }
        }
    }

    private mutating func refuse(_ index: Int, _ reason: RefusalReason, _ change: Change? = nil) {
        let change = lensed?.refused(index, change) ?? change ?? commit.changes[index]
        refusals.append(Refusal(commit: commit.number, index: index, change: change, reason: reason))
    }

    // MARK: Changes

    private mutating func perform(_ change: Change, _ place: Int, _ author: Author) -> RefusalReason? {
        guard var object = objects[place].object else {
            switch change {
            case .create(_, let fields): objects[place].object = MergedObject(fields, author)
            case .delete: break
            default: return .objectGone
            }
            return nil
        }
        // The object has one owner while it changes, so that nothing is copied.
        objects[place].object = nil
        defer { objects[place].object = object }
        switch change {
        case .create(_, let fields):
            if object.isAlive {
                object.create(fields, author)
            } else if object.canFollow(author, base: commit.base) {
                object = MergedObject(fields, author)
            } else {
                return .objectGone
            }
        case .delete:
            if object.isKnown(to: author) { _ = object.delete(author) }
        default:
            guard object.isAlive, object.isKnown(to: author) else { return .objectGone }
            switch object.perform(change, change.path, aligned(author, change)) {
            case .done: return nil
            case .instanceGone: return .instanceGone
            case .malformed: return .malformed
            }
        }
        return nil
    }

    // MARK: Work from before the horizon

    private mutating func performOld(_ change: Change, _ index: Int, _ place: Int, _ author: Author) {
        guard var old, let object = objects[place].object else {
            if let reason = perform(change, place, author) { refuse(index, reason) }
            return
        }
        let image = images[change.object] ?? object.contents
        images[change.object] = image
        let plan = old.plan(change, image)
        self.old = old
        var author = author
        author.aligned = plan.aligned
        var reason: RefusalReason?
        for change in plan.changes { reason = perform(change, place, author) }
        if reason == .malformed {
            for other in plan.instead {
                let outcome = perform(other, place, author)
                guard outcome != .malformed else { continue }
                reason = outcome
                // Each removal is done on its own. For all other changes, the first one that succeeds is enough.
                if case .remove = other { continue }
                break
            }
        }
        if let reason {
            refuse(index, reason == .malformed ? .elementGone : reason)
        } else if let rest = plan.rest {
            refuse(index, .elementGone, rest)
        }
    }

    /// Returns an author whose element indices refer to the version before the commit, with the matched elements as the
    /// elements that the author saw.
    private func aligned(_ author: Author, _ change: Change) -> Author {
        guard let old else { return author }
        let isInside = change.path.contains { if case .element = $0 { true } else { false } }
        var aligned = author
        aligned.listed = old.version
        if isInside { (aligned.seen, aligned.knew) = (old.version, author.seen) }
        return aligned
    }

    /// Adds the dead slots of a refused change if the list that would contain them exists.
    private mutating func performRefused(_ change: Change, _ place: Int, _ author: Author) {
        guard change.leavesPlaces, var object = objects[place].object else { return }
        objects[place].object = nil
        if object.isAlive, object.isKnown(to: author) { _ = object.perform(change, change.path, author) }
        objects[place].object = object
    }

    // MARK: Rules

    private func object(_ name: ObjectName, _ store: some MergeStore) throws -> MergedObject? {
        if let place = places[name] { return objects[place].object }
        return try store.object(name)
    }

    /// Returns whether a live object links to an object that the commit has just deleted, through a property whose
    /// delete rule is `deny`.
    private func isDenied(_ name: ObjectName, _ store: some MergeStore) throws -> Bool {
        guard !rules.denying.isEmpty, let place = places[name], let object = objects[place].object,
            object.died == version, object.changed == version
        else { return false }
        for property in rules.denying {
            let stored = try store.objects(linkingTo: name, by: property)
            let others = stored + (referrers[property.className] ?? [])
            for other in others where other != name && other.className == property.className {
                guard let referrer = try self.object(other, store), referrer.isAlive else { continue }
                if referrer.links(to: name, by: property.property) { return true }
            }
        }
        return false
    }

    /// Returns objects of the commit to refuse, because they have the same unique values as an object before them in the commit, or as an object that
    /// the commit doesn't change. A refused object has its old values again. This can cause the refusal of other objects, or make their refusal
    /// unnecessary. So one call only returns objects that are refused in any case. These are all objects with the same values as an object that the
    /// commit doesn't change. If the commit has no such object, they are the other objects whose class has one constraint: a value that causes the
    /// refusal of the earlier of two equal objects also causes the refusal of the later one. If there are none of these either, the first object is
    /// returned.
    private func duplicates(_ store: some MergeStore) throws -> [ObjectName: RefusalReason] {
        guard !rules.unique.isEmpty else { return [:] }
        var checked: Set<ObjectName> = []
        // For each constraint, the values of the commit's objects, and whether the object with the values is refused.
        var held = rules.unique.map { _ in [[SetElement]: Bool]() }
        // All missing rows are requested together, because a commit may have many objects.
        var missing = RowQuery()
        var found: [(name: ObjectName, isSure: Bool)] = []
        for change in commit.changes where checked.insert(change.object).inserted {
            let name = change.object
            for (index, unique) in rules.unique.enumerated() where unique.className == name.className {
                guard let values = try values(name, unique, store) else { continue }
                guard refused[name] == nil else {
                    held[index][values] = true
                    continue
                }
                if let isRefused = held[index][values] {
                    found.append((name, isRefused))
                } else {
                    held[index][values] = false
                }
                var holders: [ObjectName] = []
                try missing.note {
                    holders = try store.objects(of: name.className, holding: values, in: unique.properties)
                }
                for other in holders
                where other != name && other.className == name.className && !checked.contains(other) {
                    // An object that the commit names later is refused instead.
                    if places[other] != nil, refused[other] == nil { continue }
                    try missing.note {
                        if try self.values(other, unique, store) == values { found.append((name, true)) }
                    }
                }
            }
        }
        guard missing.isEmpty else { throw RowsMissing { $0 = missing } }
        guard let first = found.first else { return [:] }
        var refused = found.filter(\.isSure).map(\.name)
        if refused.isEmpty {
            refused = found.map(\.name).filter { name in rules.unique.count { $0.className == name.className } == 1 }
        }
        // If whole commits are refused, the other objects are refused because of the first one.
        if refused.isEmpty || rules.refusesWholeCommits { refused = [first.name] }
        return Dictionary(refused.map { ($0, .notUnique) }) { $1 }
    }

    /// Returns the values of a live object in the properties. Returns `nil` if one of them is null.
    private func values(
        _ name: ObjectName,
        _ unique: MergeRules.Unique,
        _ store: some MergeStore
    ) throws -> [SetElement]? {
        guard let object = try object(name, store), object.isAlive else { return nil }
        var values: [SetElement] = []
        for property in unique.properties {
            guard case .value(let value)? = object.content(property), value != .null, let element = SetElement(value)
            else { return nil }
            values.append(element)
        }
        return values
    }
}

extension Change {
    /// A Boolean value that indicates whether the change leaves dead slots in a list if it is refused.
    var leavesPlaces: Bool {
        switch self {
        case .insert, .move, .assignList: true
        default: false
        }
    }

    /// The steps from the object to the changed place.
    fileprivate var path: [Place.Step] { place?.path ?? [] }
}
