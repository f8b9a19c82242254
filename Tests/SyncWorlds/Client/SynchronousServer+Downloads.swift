import FreeholdSyncCore

extension SynchronousServer {
    // MARK: Downloads

    func update(_ name: ObjectName, at version: StreamVersion, _ session: Session) -> ObjectUpdate? {
        let held = session.holds[name]
        guard let object = oracle.copies[Int(version)][name], Self.matches(name, object, session.queries) else {
            return held == nil ? nil : ObjectUpdate(name.key, .erased)
        }
        guard let held else { return ObjectUpdate(name.key, ServerDifferences.whole(object)) }
        if held >= object.changed { return nil }
        guard object.born <= held, let old = oracle.copies[Int(held)][name] else {
            return ObjectUpdate(name.key, ServerDifferences.whole(object))
        }
        return ObjectUpdate(name.key, ServerDifferences.difference(from: old, to: object))
    }

    mutating func send(_ names: [ObjectName], at version: StreamVersion, _ session: inout Session)
        -> [ClassBatch]
    {
        var updates: [ObjectUpdate] = []
        for name in names {
            guard let update = update(name, at: version, session) else { continue }
            updates.append(update)
            session.holds[name] = update.content == .erased ? nil : oracle.copies[Int(version)][name]?.changed
        }
        return updates.isEmpty ? [] : [ClassBatch(className: "Thing", objects: updates)]
    }

    /// Sends what happened up to a version.
    mutating func push(_ client: Int, upTo version: StreamVersion, split: Bool = false) -> [ServerMessage] {
        guard var session = sessions[client], session.rest == nil, let from = session.cursor, version > from else {
            return []
        }
        let answers = acknowledge(&session, upTo: version)
        let names = Set(session.holds.keys).union(oracle.copies[Int(version)].keys).sorted()
        var groups = [names]
        if split, names.count > 1 { groups = [Array(names[..<(names.count / 2)]), Array(names[(names.count / 2)...])] }
        var messages: [ServerMessage] = []
        for (index, group) in groups.enumerated() {
            let classes = send(group, at: version, &session)
            let isLast = index == groups.count - 1
            messages.append(
                .changes(
                    session.number,
                    Changes(
                        from: cursor(from),
                        to: cursor(version),
                        clock: oracle.clocks[Int(version)],
                        classes: classes,
                        continues: !isLast,
                        checksums: isLast ? checksums(session) : nil
                    )
                )
            )
        }
        session.cursor = version
        sessions[client] = session
        return answers + messages
    }

    mutating func acknowledgeAll(_ client: Int) -> [ServerMessage] {
        guard var session = sessions[client] else { return [] }
        defer { sessions[client] = session }
        return acknowledge(&session, upTo: version)
    }

    /// Sends the rest of the bootstrap and all changes.
    mutating func finish(_ session: inout Session) -> [ServerMessage] {
        var messages: [ServerMessage] = []
        while session.rest != nil { messages += continueBootstrap(&session, count: 10) }
        sessions[-1] = session
        messages += push(-1, upTo: version)
        session = sessions.removeValue(forKey: -1)!
        return messages + acknowledge(&session, upTo: version)
    }

    func compare(_ classes: [SyncString], _ session: inout Session, _ number: SessionNumber) -> [ServerMessage] {
        let version = session.cursor ?? 0
        session.holds = view(session.queries, at: version)
        let objects = session.holds.sorted { $0.key < $1.key }.map {
            ObjectUpdate($0.key.key, .present(version: $0.value))
        }
        let position = BootstrapPosition(
            cursor: cursor(version),
            queryVersion: 0,
            last: ObjectName("Thing", .null)
        )
        let chunk = BootstrapChunk(
            classes: [ClassBatch(className: "Thing", objects: objects)],
            covers: [KeyRange(className: "Thing")],
            position: position
        )
        return [.bootstrapChunk(number, chunk)]
    }

    // MARK: Bootstraps

    mutating func beginBootstrap(
        _ session: inout Session,
        after last: ObjectName?,
        since: StreamVersion?,
        held: [ObjectName: StreamVersion],
        _ number: SessionNumber
    ) -> [ServerMessage] {
        note("bootstraps")
        let queries = session.queries!
        let before = acknowledge(&session, upTo: version)
        let begin = BootstrapBegin(
            cursor: cursor(version),
            queryVersion: queries.version,
            view: queries.version,
            objects: UInt64(view(queries, at: version).count),
            bytes: 0
        )
        session.begin = begin
        let all = Set(view(queries, at: version).keys).union(held.keys).sorted()
        session.rest = all.filter { name in last.map { name > $0 } ?? true }
        session.last = last
        let known = session.holds.isEmpty ? held : session.holds
        session.holds = known.filter { held[$0.key] != nil || session.cursor != nil }
        var messages: [ServerMessage] = before + [.bootstrapBegin(number, begin)]
        if let last, let since {
            // The changed objects among those that the client has.
            let names = all.filter { $0 <= last && (oracle.copies[Int(version)][$0]?.changed ?? 0) > since }
            let kept = view(queries, at: version).filter { $0.key <= last && $0.value <= since }
            let classes = send(names, at: version, &session)
            for (name, version) in kept { session.holds[name] = version }
            let gone = oracle.copies[Int(version)].keys.filter { $0 <= last && session.holds[$0] == nil }
            let erased = gone.sorted().map { ObjectUpdate($0.key, .erased) }
            let batch = [
                ClassBatch(
                    className: "Thing",
                    objects: (classes.first?.objects ?? [])
                        + erased.filter { new in
                            !(classes.first?.objects.contains { $0.key == new.key } ?? false)
                        }
                )
            ]
            let position = BootstrapPosition(cursor: begin.cursor, queryVersion: queries.version, last: last)
            messages.append(.bootstrapChunk(number, BootstrapChunk(classes: batch, position: position)))
        }
        return messages
    }

    mutating func continueBootstrap(_ client: Int, count: Int) -> [ServerMessage] {
        guard var session = sessions[client], session.rest != nil else { return [] }
        defer { sessions[client] = session }
        return continueBootstrap(&session, count: count)
    }

    mutating func continueBootstrap(_ session: inout Session, count: Int) -> [ServerMessage] {
        guard let rest = session.rest, let begin = session.begin else { return [] }
        let names = Array(rest.prefix(count))
        let isLast = names.count == rest.count
        let classes = send(names, at: begin.cursor.version, &session)
        // A range has to name the objects that the client holds unchanged.
        var batch = classes.first ?? ClassBatch(className: "Thing", objects: [])
        for name in names where session.holds[name] != nil && !batch.objects.contains(where: { $0.key == name.key }) {
            batch.objects.append(ObjectUpdate(name.key, .present(version: session.holds[name]!)))
        }
        let range = KeyRange(className: "Thing", after: session.last?.key, through: isLast ? nil : names.last?.key)
        session.last = names.last ?? session.last
        session.rest = isLast ? nil : Array(rest.dropFirst(count))
        let position = BootstrapPosition(
            cursor: begin.cursor,
            queryVersion: begin.queryVersion,
            last: session.last ?? ObjectName("Thing", .null)
        )
        var messages: [ServerMessage] = [
            .bootstrapChunk(session.number, BootstrapChunk(classes: [batch], covers: [range], position: position))
        ]
        if isLast {
            let held = view(session.queries, at: begin.cursor.version)
            session.holds = held
            session.cursor = begin.cursor.version
            session.begin = nil
            messages.append(
                .bootstrapEnd(
                    session.number,
                    BootstrapEnd(
                        cursor: begin.cursor,
                        queryVersion: begin.queryVersion,
                        clock: oracle.clocks[Int(begin.cursor.version)],
                        checksums: checksums(session)
                    )
                )
            )
        }
        return messages
    }
}
