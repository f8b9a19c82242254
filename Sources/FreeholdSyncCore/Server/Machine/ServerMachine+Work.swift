/// Long work. It begins on the machine's thread. If it doesn't end within a few steps, the caller executes the rest on
/// another thread.
extension ServerMachine {
    /// The purpose of a piece of work.
    enum WorkPurpose: Sendable {
        case page(SessionKey, of: UInt64)
        case step(SessionKey, Cursor)
        case fetch(SessionKey, [ObjectName], Cursor)
        case subscribe(SessionKey, Queries, number: Int)
        case bind(SessionKey, Binding)
        case group(StreamName)
        case publish(StreamName)
        case follow(StreamName, memory: UInt64)

        /// The session that the work is for. Nil if it is for a stream.
        var session: SessionKey? {
            switch self {
            case .page(let key, _), .step(let key, _), .fetch(let key, _, _),
                .subscribe(let key, _, _), .bind(let key, _):
                key
            case .group, .publish, .follow: nil
            }
        }
    }

    /// Begins work. The result of work that ends within a few steps is handled at once. Longer work is returned as
    /// `ServerAction.work`.
    mutating func start(_ work: some SlicedWork, of user: SyncString, _ purpose: WorkPurpose) {
        var work = work
        var slice = WorkSlice(inline: configuration.inlineSteps, objectSteps: configuration.objectSteps)
        if let result = work.run(&slice) { return take(result, purpose) }
        lastWork += 1
        works[lastWork] = purpose
        if let key = purpose.session {
            sessions[key]?.works.insert(lastWork)
            countWork(of: user, 1)
        }
        actions.append(.work(lastWork, ServerWork(user: user, work, objectSteps: configuration.objectSteps)))
    }

    /// Handles the result of work that the caller executed.
    mutating func take(_ result: ServerWorkResult, _ number: WorkNumber) {
        guard let purpose = works.removeValue(forKey: number) else { return }
        if let key = purpose.session, let user = sessions[key]?.user {
            countWork(of: user, -1)
            sessions[key]?.works.remove(number)
        }
        take(result, purpose)
    }

    private mutating func take(_ result: ServerWorkResult, _ purpose: WorkPurpose) {
        switch (purpose, result) {
        case (.page(let key, let number), .page(let work)): takePage(work, of: key, number: number)
        case (.step(let key, let cursor), .step(let work)): takeStep(work, key, at: cursor)
        case (.fetch(let key, let names, let cursor), .fetch(let work)): takeFetched(work, key, of: names, at: cursor)
        case (.subscribe(let key, let queries, let number), .views(let work)):
            subscribe(key, queries, views: work.views, number: number)
        case (.bind(let key, let binding), .views(let work)): finish(key, binding, views: work.views)
        case (.group(let name), .group(let work)): takeGroup(work, name)
        case (.publish(let name), .step(let work)): publish(work, name)
        case (.follow(let name, let memory), .step(let work)): publishFollowed(work, name, memory: memory)
        default: assertionFailure("The work has another result than it is for.")
        }
    }

    /// Cancels the work of a session that has ended.
    mutating func cancelWork(of session: Session) {
        for number in session.works.sorted() {
            works[number] = nil
            countWork(of: session.user, -1)
            actions.append(.cancelWork(number))
        }
    }
}
