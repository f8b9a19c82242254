extension ServerMachine {
    /// Descriptions of unfinished work, for tests. An idle node has none.
    package var unfinishedWork: [String] {
        var work: [String] = []
        for session in sessions.values {
            if session.uploadDebt != 0 || !session.inbox.isEmpty || !session.oldLists.isEmpty {
                work.append("uploads of \(session.ident) wait: \(session.uploadDebt) B")
            }
            if !session.outbox.isEmpty || session.incoming != nil || !session.parted.isEmpty || session.unreleased > 0 {
                work.append("parts of messages of \(session.ident) wait")
            }
        }
        for (name, stream) in streams where stream.group != nil || !stream.queue.isEmpty {
            work.append("commits of \(name) that aren't merged")
        }
        for (name, stream) in streams {
            if stream.head.cursor != stream.known.cursor || stream.isPublishing {
                work.append("steps of \(name) that aren't sent")
            }
            if !stream.waiting.isEmpty { work.append("binds of \(name) wait") }
            if !stream.unverified.isEmpty { work.append("commits of \(name) that aren't checked") }
        }
        return work
    }
}
