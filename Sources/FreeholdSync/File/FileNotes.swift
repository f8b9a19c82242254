import Foundation
import FreeholdEngine
import FreeholdSyncCore

/// The app and the user of a file, as the file stores them.
struct FileOwner: Codable, Hashable, Sendable {
    var app: String
    var user: String
    var server: String?
}

/// The last error that was reported to the app.
struct KeptError: Codable, Hashable, Sendable {
    var time: Date
    var code: String
    var message: String
}

/// Notes in a file for its inspection. The client's machine doesn't need them.
enum FileNotes {
    static let values = "sync values"
    static let owner = "owner"
    static let error = "error"

    static func read<Note: Decodable>(_ type: Note.Type, _ name: String, _ view: DataView) -> Note? {
        guard let table = view.schema.hiddenTable(named: values), table.columns.count > 1,
            let row = view.find(primaryKey: .string(name), in: table),
            case .data(let data) = view.value(table.columns[1], row)
        else { return nil }
        return try? JSONDecoder().decode(type, from: data)
    }

    /// Writes a note, unless the file contains the same note.
    static func write<Note: Codable & Equatable>(_ note: Note, _ name: String, _ database: Database) throws {
        if read(Note.self, name, try database.snapshot()) == note { return }
        let write = try database.beginWrite()
        do {
            write.origin = .applier(FileClientStore.applier)
            guard let table = write.schema.hiddenTable(named: values) else { return write.cancel() }
            let row =
                try write.find(primaryKey: .string(name), in: table)
                ?? write.create(table, primaryKey: .string(name))
            try write.set(table.columns[1], row, to: .data(try JSONEncoder().encode(note)))
            _ = try write.commit()
        } catch {
            write.cancel()
            throw error
        }
    }
}
