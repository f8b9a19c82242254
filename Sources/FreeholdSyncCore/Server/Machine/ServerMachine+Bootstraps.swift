/// The state of a view, in chunks, as it is at one version.
extension ServerMachine {
    mutating func subscribe(_ key: SessionKey, _ queries: Queries) {
        guard var session = sessions[key], let stream = streams[session.stream] else { return }
        guard queries.queries.count <= configuration.conditions else {
            return end(key, .query, "There are too many conditions.")
        }
        let view = view(of: queries, session)
        begin(&session, view, queries, stream)
        sessions[key] = session
        send(view.errors, to: key)
        request(session.stream, .noteQueries(session.ident, queries, isComplete: false), .note)
        if case .bootstrap(let bootstrap) = session.state { announce(key, bootstrap) }
        pump(key)
    }

    /// Begins a bootstrap that leads from what the client holds to a view.
    private func begin(_ session: inout Session, _ view: View, _ queries: Queries, _ stream: StreamState) {
        var cursor = stream.head.cursor
        var old: View? = session.holdsUnknown ? nil : session.view
        switch session.state {
        case .bootstrap(let bootstrap) where !bootstrap.isComparison:
            // What the client got of it counts for nothing that is known.
            old = nil
            session.holdsUnknown = true
            if bootstrap.new.identity.masksNumber != session.masks { session.masks = nil }
        default: if !session.holdsUnknown, let own = self.cursor(of: session) { cursor = own }
        }
        var bootstrap = Bootstrap(cursor: cursor, clock: stream.head.clock, old: old, new: view, queries: queries)
        session.classes.formUnion(queries.queries.map(\.className))
        if old == nil { bootstrap.classes = session.classes.union(bootstrap.classes).sorted() }
        // What the client holds lacks what it wasn't shown.
        let isShown = old != nil || session.masks == view.identity.masksNumber
        bootstrap.trusted = isShown ? min(session.told?.version ?? 0, cursor.version) : 0
        bootstrap.isShown = isShown
        session.cursor = self.cursor(of: session)
        session.state = .bootstrap(bootstrap)
    }

    mutating func announce(_ key: SessionKey, _ bootstrap: Bootstrap) {
        let begin = BootstrapBegin(
            cursor: bootstrap.cursor,
            queryVersion: bootstrap.queries.version,
            view: bootstrap.new.number,
            objects: 0,
            bytes: 0
        )
        send(key, .bootstrapBegin(key.number, begin))
    }

    /// Classes are compared by keys, at the client's cursor; or the client only says that it goes on.
    mutating func take(_ resume: Resume, _ key: SessionKey) {
        guard var session = sessions[key] else { return }
        let named = resume.held.named(most: configuration.heldObjects, upTo: .max)
        let held = Dictionary(named.map { ($0.name, $0.version) }) { max($0, $1) }
        // Of what was sent since the client wrote, it knows nothing yet.
        session.held = resume.cursor == session.told ? held : held.merging(session.held) { $1 }
        session.leastBase = resume.leastBase
        sessions[key] = session
        note(key)
        if case .bootstrap = session.state { return pump(key) }
        guard !resume.compare.isEmpty, let cursor = cursor(of: session), let stream = streams[session.stream],
            let queries = session.queries
        else { return pump(key) }
        var bootstrap = Bootstrap(
            cursor: cursor,
            clock: stream.head.clock,
            old: nil,
            new: session.view,
            queries: queries
        )
        bootstrap.classes = Set(resume.compare).sorted()
        bootstrap.isComparison = true
        bootstrap.trusted = cursor.version
        bootstrap.isShown = true
        session.cursor = cursor
        session.state = .bootstrap(bootstrap)
        sessions[key] = session
        pump(key)
    }

    mutating func askPage(_ key: SessionKey) {
        guard let session = sessions[key], case .bootstrap(var bootstrap) = session.state, !bootstrap.isAsked else {
            return
        }
        guard bootstrap.index < bootstrap.classes.count else { return finish(key, bootstrap) }
        if bootstrap.number == 0 {
            bootstrap.number = nextBootstrap()
            sessions[key]?.pace = (session.grantedBytes, now)
        }
        bootstrap.isAsked = true
        let (className, version) = (bootstrap.classes[bootstrap.index], bootstrap.cursor.version)
        let kind: ServerStoreRequest.Kind
        if let keys = bootstrap.keys {
            let asked = Array(keys.prefix(configuration.chunkObjects))
            (bootstrap.askedKeys, bootstrap.areKeysLast) = (asked, asked.count == keys.count)
            kind = .keys(asked, class: className, at: version)
        } else {
            bootstrap.askedKeys = nil
            let old = bootstrap.old?.comparisons(of: className) ?? 0
            let count = ConditionPage.objects(
                comparisons: old + bootstrap.new.comparisons(of: className),
                limit: configuration.chunkObjects
            )
            kind = .page(class: className, after: bootstrap.last, at: version, objects: count)
        }
        sessions[key]?.state = .bootstrap(bootstrap)
        request(session.stream, kind, .page(key, of: bootstrap.number))
    }

    mutating func takePage(_ answer: ServerStoreAnswer, _ key: SessionKey, _ number: UInt64) {
        guard let session = sessions[key], case .bootstrap(var bootstrap) = session.state, bootstrap.isAsked,
            bootstrap.number == number
        else { return }
        guard case .page(let answer) = answer else {
            return end(key, .transient(after: 1_000), "The store can't be reached.")
        }
        guard let page = answer else { return end(key, .transient(after: 0), "The bootstrap took too long.") }
        if bootstrap.new.canFail, !bootstrap.isComparison {
            reportFailures(page.objects.map { ($0.name, $0.object.contents) }, to: key)
        }
        bootstrap.isAsked = false
        let name = bootstrap.classes[bootstrap.index]
        let start = bootstrap.last
        let isLastPage = bootstrap.askedKeys == nil ? page.isLast : bootstrap.areKeysLast
        var (updates, size, isLast): ([ObjectUpdate], UInt64, Bool) = ([], 0, isLastPage)
        var isWhole = true
        for (index, (name, object)) in page.objects.enumerated() {
            bootstrap.last = name.key
            if let update = bootstrap.update(name, object, session.held[name], horizon: page.horizon) {
                updates.append(update)
                size += update.estimatedSize
            }
            if size >= configuration.chunkBytes, index + 1 < page.objects.count {
                (isLast, isWhole) = (false, false)
                break
            }
        }
        // Keys without an object are done, too.
        if isWhole, !isLast, let last = bootstrap.askedKeys?.last { bootstrap.last = last }
        let end = ObjectName(name, bootstrap.last ?? .null)
        let isSkipped = bootstrap.skips.map { isLast ? $0.className > name : $0 >= end } ?? false
        if isLast {
            bootstrap.index += 1
            bootstrap.last = nil
        }
        let after = bootstrap.skips?.className == name ? max(start ?? .null, bootstrap.skips?.key ?? .null) : start
        sessions[key]?.state = .bootstrap(bootstrap)
        if !isSkipped, !updates.isEmpty || bootstrap.coversRanges {
            let range = KeyRange(className: name, after: after, through: isLast ? nil : end.key)
            let position = BootstrapPosition(
                cursor: bootstrap.cursor,
                queryVersion: bootstrap.queries.version,
                last: end
            )
            let chunk = BootstrapChunk(
                classes: updates.isEmpty ? [] : [ClassBatch(className: name, objects: updates)],
                covers: bootstrap.coversRanges ? [range] : [],
                position: position
            )
            sessions[key]?.noteSent(chunk.classes)
            send(key, .bootstrapChunk(key.number, chunk))
        }
        pump(key)
    }

    private mutating func finish(_ key: SessionKey, _ bootstrap: Bootstrap) {
        guard var session = sessions[key] else { return }
        let old = session.view.identity
        session.state = .behind
        guard !bootstrap.isComparison else {
            sessions[key] = session
            return pump(key)
        }
        (session.view, session.queries, session.holdsUnknown) = (bootstrap.new, bootstrap.queries, false)
        session.masks = bootstrap.new.identity.masksNumber
        (session.cursor, session.told) = (bootstrap.cursor, bootstrap.cursor)
        sessions[key] = session
        streams[session.stream]?.move(key, from: old, to: ViewSums(bootstrap.new, bootstrap.cursor, bootstrap.sums))
        let end = BootstrapEnd(
            cursor: bootstrap.cursor,
            queryVersion: bootstrap.queries.version,
            clock: bootstrap.clock,
            checksums: Checksums(view: bootstrap.new.number, classes: bootstrap.sums)
        )
        send(key, .bootstrapEnd(key.number, end))
        request(session.stream, .noteQueries(session.ident, bootstrap.queries, isComplete: true), .note)
        pump(key)
    }
}

extension Bootstrap {
    /// What the client has to be told of an object, which counts for the sums. Nil if it has what there is.
    fileprivate mutating func update(
        _ name: ObjectName,
        _ object: MergedObject,
        _ held: StreamVersion?,
        horizon: StreamVersion
    ) -> ObjectUpdate? {
        let (was, isIn) = (old?.contains(name, object) ?? false, new.contains(name, object))
        let version = new.version(name, object)
        if isIn, let index = sums.firstIndex(where: { $0.className == name.className }) {
            sums[index].add(name.key, version: version)
        }
        if let skips, name <= skips { return nil }
        guard isIn else { return was ? ObjectUpdate(name.key, .erased) : nil }
        let mask = new.mask(of: name.className)
        let isShown = old.map { $0.mask(of: name.className) == mask } ?? isShown
        if was, isShown { return nil }
        if was, let old {
            // The client has it as the old view showed it last.
            let (held, shown) = (old.version(name, object), old.mask(of: name.className) ?? .all)
            guard version >= held else { return object.update(name.key, object.whole(mask), mask: mask) }
            return object.update(name.key, object.difference(since: held, shown: shown, mask), mask: mask)
        }
        if let held, held >= object.born, held >= horizon, version >= held {
            let content =
                isShown
                ? object.difference(since: held, mask) : object.difference(since: held, shown: nil, mask)
            return object.update(name.key, content, mask: mask)
        }
        if coversRanges, isShown, version <= trusted { return ObjectUpdate(name.key, .present(version: version)) }
        return object.update(name.key, object.whole(mask), mask: mask)
    }
}
