extension ClientTransaction {
    /// Keeps bytes of a message that isn't whole.
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

    /// Returns the message whose last part is given, and forgets its parts. Nil if they don't make a message.
    mutating func whole(_ last: MessagePart) throws -> ServerMessage? {
        guard let partial = try partial(), partial.message == last.message, partial.received == last.offset else {
            return nil
        }
        let bytes = try keptBytes() + last.bytes
        try removeParts()
        guard PartedMessage(number: last.message.number, bytes) == last.message else { return nil }
        return try? MessageCodec.whole.serverMessage(bytes)
    }

    /// Forgets what came of a message that can't go on: the file has got further another way.
    mutating func dropOldParts() throws {
        guard let message = try partial()?.message else { return }
        if message.number > 0, message.number <= state.cursor?.version ?? 0 { try removeParts() }
    }

    /// Takes a commit back that no server takes, and keeps it for the app. Its number stays, with nothing in it.
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
