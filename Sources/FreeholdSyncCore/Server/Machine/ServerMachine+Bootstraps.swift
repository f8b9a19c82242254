/// Bootstraps: the state of a view at one version, sent in chunks.
extension ServerMachine {
    mutating func subscribe(_ key: SessionKey, _ queries: Queries) {
        guard let session = sessions[key] else { return }
        guard queries.queries.count <= configuration.conditions else {
            return end(key, .query, "There are too many conditions.")
        }
        guard queries.bytes <= configuration.queryBytes else {
            let limit = configuration.queryBytes
            return end(key, .query, SyncString("The conditions are longer than \(limit) bytes together."))
        }
        guard mayKeepMore(session.user) else { return endOverShare(key) }
        let number = session.subscriptions + 1
        sessions[key]?.queryBytes = queries.bytes
        sessions[key]?.subscribing = queries
        sessions[key]?.subscriptions = number
        start(views(of: [queries], session), of: session.user, .subscribe(key, queries, number: number))
    }

    /// Begins the bootstrap of a compiled query set, unless the session has received a newer set.
    mutating func subscribe(_ key: SessionKey, _ queries: Queries, views: [View], number: Int) {
        guard var session = sessions[key], let head = streams[session.stream]?.head, session.subscriptions == number,
            let view = views.first
        else { return }
        session.subscribing = nil
        if session.isFront, !view.errors.isEmpty {
            sessions[key] = session
            send(view.errors, to: key)
            return progress(key)
        }
        begin(&session, view, queries, head)
        sessions[key] = session
        send(view.errors, to: key)
        if !session.isGuest {
            let kind = ServerStoreRequest.Kind.noteQueries(session.ident, queries, isComplete: false)
            request(session.stream, kind, .note, of: session.user)
        }
        if case .bootstrap(let bootstrap) = session.state { announce(key, bootstrap) }
        pump(key)
    }

    /// Begins a bootstrap from the client's objects to a view.
    private func begin(_ session: inout Session, _ view: View, _ queries: Queries, _ head: StreamHead) {
        var cursor = head.cursor
        var old: View? = session.holdsUnknown ? nil : session.view
        switch session.state {
        case .bootstrap(let bootstrap) where !bootstrap.isComparison && session.isFront:
            // A front end's client forgets a bootstrap that isn't complete.
            cursor = session.cursor ?? bootstrap.cursor
        case .bootstrap(let bootstrap) where !bootstrap.isComparison:
            // The client has received a part of this bootstrap, so that its objects belong to no known view.
            old = nil
            session.holdsUnknown = true
            if bootstrap.new.identity.masksNumber != session.masks { session.masks = nil }
        default: if !session.holdsUnknown, let own = self.cursor(of: session) { cursor = own }
        }
        var bootstrap = Bootstrap(cursor: cursor, clock: head.clock, old: old, new: view, queries: queries)
        session.classes.formUnion(queries.queries.map(\.className))
        if old == nil { bootstrap.classes = session.classes.union(bootstrap.classes).sorted() }
        // If the hidden or translated fields differ, the objects that the client holds lack data.
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

    /// Continues a session. If the client names classes, they are compared by keys at the client's cursor.
    mutating func take(_ resume: Resume, _ key: SessionKey) {
        guard var session = sessions[key] else { return }
        guard mayKeepMore(session.user) else { return endOverShare(key) }
        let named = resume.held.named(most: configuration.heldObjects, upTo: .max)
        let held = Dictionary(named.map { ($0.name, $0.version) }) { max($0, $1) }
        // If the cursors differ, the client wrote the message before it received the last changes.
        session.hold(resume.cursor == session.told ? held : held.merging(session.held) { $1 })
        session.leastBase = resume.leastBase
        sessions[key] = session
        note(key)
        if case .bootstrap = session.state { return pump(key) }
        guard !resume.compare.isEmpty, let cursor = cursor(of: session),
            let clock = streams[session.stream]?.head.clock,
            let queries = session.queries
        else { return pump(key) }
        var bootstrap = Bootstrap(
            cursor: cursor,
            clock: clock,
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
        request(session.stream, kind, .page(key, of: bootstrap.number), of: session.user)
    }

    mutating func takePage(_ answer: ServerStoreAnswer, _ key: SessionKey, _ number: UInt64) {
        guard let session = sessions[key], case .bootstrap(let bootstrap) = session.state, bootstrap.isAsked,
            bootstrap.number == number
        else { return }
        guard case .page(let answer) = answer else {
            return end(key, .transient(after: 1_000), "The store can't be reached.")
        }
        guard let page = answer else { return end(key, .transient(after: 0), "The bootstrap took too long.") }
        start(page, of: bootstrap, session)
    }

    private mutating func start(_ page: ObjectPage, of bootstrap: Bootstrap, _ session: Session) {
        let work = PageWork(bootstrap, page: page, of: session, configuration: configuration)
        start(work, of: session.user, .page(session.key, of: bootstrap.number))
    }

    /// Sends the next chunk, if it is due, after a page was compared with the views.
    mutating func takePage(_ work: PageWork, of key: SessionKey, number: UInt64) {
        guard let session = sessions[key], case .bootstrap(let old) = session.state, old.isAsked, old.number == number
        else { return }
        // The versions that the client holds have changed since the work began.
        guard work.heldChanges == session.heldChanges else { return start(work.page, of: old, session) }
        report(work.failures, to: key)
        var bootstrap = work.bootstrap
        let page = work.page
        bootstrap.isAsked = false
        let name = bootstrap.classes[bootstrap.index]
        let isLastPage = bootstrap.askedKeys == nil ? page.isLast : bootstrap.areKeysLast && page.through == nil
        let isFull = work.isFull
        let isLast = isLastPage && !isFull
        // Keys without an object don't have to be requested again.
        if !isLast, !isFull, let last = page.through ?? bootstrap.askedKeys?.last { bootstrap.last = last }
        if isLast {
            bootstrap.index += 1
            bootstrap.last = nil
        }
        // If objects can be hidden, the end of a page isn't reported, since it depends on them. Otherwise the client gets the first objects
        // early.
        // A user over the share receives waiting updates early, too, since another page needs the memory.
        let isEarly = session.rights == nil || !isWithinShare(session.user)
        let isDue = isLast || isFull || isEarly && !bootstrap.waiting.isEmpty
        if isDue, let chunk = bootstrap.nextChunk(of: name, isLast: isLast, session.held) {
            sessions[key]?.state = .bootstrap(bootstrap)
            sessions[key]?.noteSent(chunk.classes)
            send(key, .bootstrapChunk(key.number, chunk))
        } else {
            sessions[key]?.state = .bootstrap(bootstrap)
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
        if !session.isGuest {
            let kind = ServerStoreRequest.Kind.noteQueries(session.ident, bootstrap.queries, isComplete: true)
            request(session.stream, kind, .note, of: session.user)
        }
        pump(key)
    }
}
