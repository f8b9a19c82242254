#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
internal import FreeholdEngine
internal import FreeholdSyncCore

/// The storage of incomplete commits.
extension StreamView {
    // MARK: Split commits

    private static func text(_ name: PartName) -> Value { .string("\(name.ident.rawValue)/\(name.commit)") }

    func parts(_ name: PartName) throws -> [UploadedCommit] {
        let table = tables.hidden.part
        guard let key = view.find(primaryKey: Self.text(name), in: table) else { return [] }
        return try reading(view.pieces(table.columns[1], key)) { cursor in
            var parts: [UploadedCommit] = []
            while cursor.remaining > 0 {
                parts.append(try StoredMessage.part(Array(cursor.bytes[try cursor.section()])))
            }
            return parts
        }
    }

    /// Stores a part. Returns `false` if an earlier part is missing.
    func stage(_ ident: FileIdent, _ part: UploadedCommit, in transaction: WriteTransaction) throws -> Bool {
        let (table, name) = (tables.hidden.part, PartName(ident, part.commit.number))
        let index = Int(part.part?.index ?? 0)
        let found = view.find(primaryKey: Self.text(name), in: table)
        let count = found.map { Int(view.word(table, 2, $0)) } ?? 0
        guard index <= count else { return false }
        let key = try found ?? transaction.create(table, primaryKey: Self.text(name))
        transaction.setInt(table.columns[2], key, to: Int64(index + 1))
        var bytes: [UInt8] = []
        bytes.append(section: try StoredMessage.bytes(part))
        if index == count {
            try transaction.appendPieces(table.columns[1], key, bytes: bytes)
        } else {
            var all: [UInt8] = []
            for part in try parts(name).prefix(index) { all.append(section: try StoredMessage.bytes(part)) }
            try transaction.setPieces(table.columns[1], key, to: all + bytes)
        }
        return true
    }

    func dropParts(_ name: PartName, in transaction: WriteTransaction) {
        guard let key = view.find(primaryKey: Self.text(name), in: tables.hidden.part) else { return }
        transaction.delete(tables.hidden.part, key)
    }

    func finishParts(_ names: [PartName], in transaction: WriteTransaction) throws {
        for name in names {
            dropParts(name, in: transaction)
            if let key = row(name.ident), let number = try staged(name.ident)?.message.number, number <= name.commit {
                transaction.delete(tables.hidden.part, key)
            }
        }
    }

    // MARK: Commits in bytes

    // A row whose name is the number of the file. The first value is the identity of the commit, and the others are its
    // bytes. The column `count` has the number of bytes.

    private func row(_ ident: FileIdent) -> ObjectKey? {
        view.find(primaryKey: .string("\(ident.rawValue)"), in: tables.hidden.part)
    }

    private func message(_ key: ObjectKey) throws -> (message: PartedMessage, time: Int64) {
        guard case .data(let data) = view.listValue(tables.hidden.part.columns[1], key, at: 0) else {
            throw StoreDamage("A commit in parts has no name.")
        }
        return try reading(Array(data)) { cursor in
            let (number, count, time) = (try cursor.varint(), try cursor.varint(), try cursor.varint())
            let high = try cursor.fixed(width: 8)
            let hash = RunningHash(high: high, low: try cursor.fixed(width: 8))
            return (PartedMessage(number: number, hash: hash, count: count), Int64(bitPattern: time))
        }
    }

    private static func name(_ message: PartedMessage, _ time: Int64) -> Value {
        var bytes: [UInt8] = []
        for number in [message.number, message.count, UInt64(bitPattern: time)] { bytes.appendVarint(number) }
        bytes.append(message.hash)
        return .data(Data(bytes))
    }

    func staged(_ ident: FileIdent) throws -> PartialMessage? {
        guard let key = row(ident) else { return nil }
        return PartialMessage(message: try message(key).message, received: view.word(tables.hidden.part, 2, key))
    }

    func keptBytes(_ ident: FileIdent) throws -> [UInt8]? {
        guard let key = row(ident) else { return nil }
        var bytes: [UInt8] = []
        for case .data(let data) in view.listValues(tables.hidden.part.columns[1], key).dropFirst() {
            bytes.append(contentsOf: data)
        }
        return bytes
    }

    /// Stores bytes of a commit. Returns `false` if earlier bytes are missing.
    func keep(_ part: MessagePart, of ident: FileIdent, _ time: Int64, in transaction: WriteTransaction) throws -> Bool
    {
        let table = tables.hidden.part
        guard let user = try file(ident)?.user else { return false }
        if part.offset == 0 {
            if let old = row(ident) { transaction.delete(table, old) }
            var entries: [StagedParts.Entry] = []
            for (other, key) in incomplete() {
                guard try other != ident && file(other)?.user == user else { continue }
                let (message, time) = try message(key)
                entries.append(StagedParts.Entry(ident: other, count: message.count, time: time))
            }
            for other in StagedParts.evicted(entries, for: part.message.count) {
                if let key = row(other) { transaction.delete(table, key) }
            }
            let key = try transaction.create(table, primaryKey: .string("\(ident.rawValue)"))
            try transaction.listAppend(table.columns[1], key, values: [Self.name(part.message, time)])
            try transaction.appendPieces(table.columns[1], key, bytes: part.bytes)
            transaction.setWord(table, 2, key, part.end)
            return true
        }
        guard let key = row(ident), let staged = try staged(ident), staged.message == part.message,
            staged.received == part.offset
        else { return false }
        try transaction.listSet(table.columns[1], key, at: 0, to: Self.name(part.message, time))
        try transaction.appendPieces(table.columns[1], key, bytes: part.bytes)
        transaction.setWord(table, 2, key, part.end)
        return true
    }

    /// Returns the files with an incomplete commit, and the rows of these commits.
    private func incomplete() -> [(ident: FileIdent, key: ObjectKey)] {
        view.keys(tables.hidden.part).compactMap { key in
            view.readString(tables.hidden.part.columns[0], key).flatMap(UInt32.init).map {
                (FileIdent(rawValue: $0), key)
            }
        }
    }

    /// Copies incomplete commits to another store.
    func copyParts(_ batch: inout StreamRecordBatch) throws {
        for key in view.keys(tables.hidden.part) {
            let words = (view.readString(tables.hidden.part.columns[0], key) ?? "").split(separator: "/")
            guard let raw = words.first.flatMap({ UInt32($0) }) else { continue }
            let ident = FileIdent(rawValue: raw)
            if words.count == 2, let number = UInt64(words[1]) {
                for part in try parts(PartName(ident, number)) { try batch.add(.part(ident, part)) }
            } else {
                let (message, time) = try message(key)
                try batch.add(.incoming(ident, message, try keptBytes(ident) ?? [], time: time))
            }
        }
    }

    /// Returns the rows to which nothing was added since a time.
    private func old(before time: Int64) throws -> [ObjectKey] {
        try view.keys(tables.hidden.part).filter { key in
            let name = view.readString(tables.hidden.part.columns[0], key) ?? ""
            if UInt32(name) != nil { return try message(key).time < time }
            // The parts of a split commit are removed at the end of its session. Rows that an earlier version of the
            // store left are removed if their file wasn't bound since `time`.
            let ident = name.split(separator: "/").first.flatMap { UInt32($0) } ?? 0
            return try file(FileIdent(rawValue: ident))?.time ?? 0 < time
        }
    }

    func hasParts(before time: Int64) throws -> Bool { try !old(before: time).isEmpty }

    func trimParts(before time: Int64, in transaction: WriteTransaction) throws {
        transaction.delete(tables.hidden.part, try old(before: time))
    }
}
