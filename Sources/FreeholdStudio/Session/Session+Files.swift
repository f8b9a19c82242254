import Foundation
import FreeholdEngine
import ModelWriter

extension StudioSession {
    static let fileHandlers: [String: Handler] = [
        "files": Handler { session, _, _ in
            let files = session.program.files
            return ["files": .array(files.given.map(\.json)), "recent": .array(files.recent.map(\.json))]
        },
        "openFile": Handler { session, request, answer in try session.openFile(request, answer) },
        "closeFile": Handler { session, _, _ in
            session.closeFile()
            return [:]
        },
        "file": Handler { session, _, _ in try session.fileFacts() },
        "forget": Handler { session, request, _ in
            session.program.files.forget(try session.program.files.entry(try request.text("file")))
            return [:]
        },
        "remember": Handler { session, request, _ in try session.remember(request) },
        "recall": Handler { session, _, _ in
            ["state": session.program.files.remembered(try session.shown().file.entry)]
        },
    ]

    /// Opens a file on a thread of the program. The conversion of a Realm file takes time.
    private func openFile(_ request: StudioRequest, _ answer: Answer) throws -> StudioJSON? {
        let entry = try program.files.entry(try request.text("file"))
        var key = try OpenFile.key(request.optional("key"))
        if key == nil, let given = program.options.key { key = EncryptionKey(OpenFile.fromFile(given)) }
        let (given, isGiven, options) = (key, request.optional("key") != nil, program.options)
        closeFile()
        // A file of another format can be an encrypted Realm file.
        program.pool.run(entry.kind == .freehold ? .queries : .transfers) { [weak self] in
            let result = Result { () throws(StudioError) in
                do throws(StudioError) { return try OpenFile.open(entry, key: given, options) } catch {
                    // The key of the command line is for encrypted files only.
                    guard !isGiven, given != nil, error.code == .key else { throw error }
                    return try OpenFile.open(entry, key: nil, options)
                }
            }
            self?.onLoop { session in
                answer.give(
                    result.flatMap { file in
                        Result { () throws(StudioError) in
                            try session.take(file)
                            session.program.files.opened(entry)
                            return try session.fileFacts()
                        }
                    }
                )
            }
        }
        return nil
    }

    private func fileFacts() throws(StudioError) -> StudioJSON {
        let (file, view, _) = try shown()
        let size = (try? file.database.fileUse().total) ?? 0
        let isSynced = view.schema.hiddenTable(named: "sync commits") != nil
        return [
            "file": .string(file.entry.number), "name": .string(file.entry.name), "folder": .string(file.entry.folder),
            "kind": .string(file.isRealmFile ? "realm" : "freehold"), "size": .int(size),
            "format": .int(file.database.formatVersion), "version": .int(view.version),
            "schemaVersion": .int(view.userVersion),
            "flags": [
                "write": .bool(file.canWrite), "encrypted": .bool(file.database.encryptionKey != nil),
                "live": .bool(file.notLive == nil), "synced": .bool(isSynced),
                "commitLog": .bool(file.database.hasCommitLog), "journal": .bool(view.hasJournal),
            ],
            "notLive": .text(file.notLive),
            "timeZone": .text(program.options.timeZone),
            "lastCommit": .whole(history.newest),
            "conversion": .text(file.importReport),
            "languages": .array(
                ModelLanguage.allCases.map { ["language": .string($0.rawValue), "name": .string($0.name)] }
            ),
        ]
    }

    private func remember(_ request: StudioRequest) throws(StudioError) -> StudioJSON {
        let (file, _, _) = try shown()
        guard let state = request.optional("state"), case .object = state else {
            throw StudioError(.invalid, "The state to remember is an object.")
        }
        guard state.bytes.count <= 64 << 10 else {
            throw StudioError(.tooLarge, "The state to remember has at most 64 KiB.")
        }
        let old = program.files.remembered(file.entry)["titles"]
        program.files.remember(state, for: file.entry)
        if old != state["titles"] { forgetTitles() }
        return [:]
    }
}
