extension ClientTransaction {
    /// Keeps received bytes of an incomplete message.
    mutating func keep(_ part: MessagePart) throws {
        guard part.offset > 0 else {
            try removeParts()
            return try keepPart(part)
        }
        guard let partial = try partial(), partial.message == part.message, partial.received == part.offset else {
            return
        }
        try keepPart(part)
    }

    /// Returns the message that the given part completes, and removes its kept parts. Returns `nil` if the parts don't
    /// form a message.
    mutating func whole(_ last: MessagePart) throws -> ServerMessage? {
        guard let partial = try partial(), partial.message == last.message, partial.received == last.offset else {
            return nil
        }
        let bytes = try keptBytes() + last.bytes
        try removeParts()
        guard PartedMessage(number: last.message.number, bytes) == last.message else { return nil }
        return try? MessageCodec.whole.serverMessage(bytes)
    }

    /// Removes the parts of a message that can't be continued, because the file has received its version in another
    /// way.
    mutating func dropOldParts() throws {
        guard let message = try partial()?.message else { return }
        if message.number > 0, message.number <= state.cursor?.version ?? 0 { try removeParts() }
    }

    /// Removes the effects of a commit that no server accepts, and keeps the commit for the app. Its number stays in
    /// use, with an empty commit.
    mutating func giveUp(_ number: UInt64) throws {
        guard number > state.acknowledged, var entry = try commit(number), !entry.commit.changes.isEmpty else { return }
        try keep(.discarded(entry.commit))
        for name in entry.commit.objects where try shadow(of: name) != nil {
            try change(name) { $0.discard { $0.commit == number } }
        }
        entry.commit = Commit(
            number: number,
            clock: entry.commit.clock,
            base: entry.commit.base,
            schemaVersion: entry.commit.schemaVersion,
            changes: []
        )
        try put(entry)
    }
}
