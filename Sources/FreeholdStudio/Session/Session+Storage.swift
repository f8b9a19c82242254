import Foundation
import FreeholdEngine

extension StudioSession {
    static let storageHandlers: [String: Handler] = [
        "anatomy": Handler { session, _, answer in try session.anatomy(answer) },
        "readers": Handler { session, _, _ in try session.readers() },
        "verify": Handler { session, _, answer in try session.verify(answer) },
        "backup": Handler { session, _, answer in try session.backup(answer) },
        "compact": Handler(edits: true) { session, _, answer in try session.compact(answer) },
    ]

    private func anatomy(_ answer: Answer) throws -> StudioJSON? {
        let database = try shown().file.database
        try work(answer, .transfers) { _, _ in
            let clock = ContinuousClock()
            let start = clock.now
            let anatomy = try database.anatomy()
            return StudioJSON.members([
                "version": .int(anatomy.version), "file": .int(anatomy.fileBytes), "page": .int(anatomy.pageSize),
                "used": .int(anatomy.fileBytes - min(anatomy.fileBytes, anatomy.freePages * anatomy.pageSize)),
                "free": .int(anatomy.freePages * anatomy.pageSize),
                "areas": .array(
                    anatomy.areas.map { area in
                        [
                            "class": .text(area.table),
                            "property": .text(area.property), "kind": .string(area.kind.rawValue),
                            "bytes": .int(area.bytes), "blocks": .int(area.blocks),
                        ]
                    }
                ),
                "order": [
                    "cells": .int(anatomy.order.count), "pages": .int(anatomy.pageCount),
                    "areas": .array(anatomy.order.map { .int($0) }),
                ],
                "ms": .milliseconds(clock.now - start),
            ])
        } finish: { _, anatomy in
            anatomy
        }
        return nil
    }

    private func readers() throws -> StudioJSON {
        let (file, view, _) = try shown()
        let newest = file.database.lastVersion
        let own = getpid()
        let readers = file.database.readers().filter { $0.version > 0 }.sorted { $0.version < $1.version }
        return [
            "newest": .int(newest),
            "readers": .array(
                readers.map { reader in
                    [
                        "process": .int(reader.processIdentifier), "name": Self.name(reader.processIdentifier),
                        "version": .int(reader.version), "behind": .int(newest - min(reader.version, newest)),
                        "bytes": .int(reader.version < newest ? view.bytesFreed(since: reader.version) : 0),
                        "since": reader.since.map { .int($0.seconds * 1_000) } ?? .null,
                        "mine": .bool(reader.processIdentifier == own),
                    ]
                }
            ),
        ]
    }

    /// Returns the name of a process, if the system reports it.
    private static func name(_ process: Int32) -> StudioJSON {
        guard let data = FileManager.default.contents(atPath: "/proc/\(process)/comm"), data.count <= 64 else {
            return .null
        }
        return .string(String(decoding: data, as: UTF8.self).trimmingCharacters(in: .newlines))
    }

    private func verify(_ answer: Answer) throws -> StudioJSON? {
        try work(answer, .transfers) { view, _ in
            let clock = ContinuousClock()
            let start = clock.now
            let findings = view.verify()
            return (findings, clock.now - start)
        } finish: { _, found in
            [
                "findings": .array(found.0.prefix(10_000).map { .string($0) }), "count": .int(found.0.count),
                "ms": .milliseconds(found.1),
            ]
        }
        return nil
    }

    private func backup(_ answer: Answer) throws -> StudioJSON? {
        let (file, _, _) = try shown()
        let (tickets, key) = (program.tickets, file.database.encryptionKey)
        let path = tickets.newPath()
        let base = (file.entry.name as NSString).deletingPathExtension
        try work(answer, .transfers) { view, _ in
            try view.copy(to: path, key: key, keepsJournal: false)
            chmod(path, 0o600)
            return PrivateFile.size(path)
        } finish: { session, bytes in
            let version = session.current?.version ?? 0
            let download = StudioTickets.Download(
                path: path,
                name: "\(base)-\(version).realm",
                mediaType: "application/octet-stream",
                bytes: bytes
            )
            return [
                "ticket": .string(try tickets.offer(download)), "name": .string(download.name), "bytes": .int(bytes),
            ]
        }
        return nil
    }

    /// Closes the file, compacts it, and opens it again.
    private func compact(_ answer: Answer) throws -> StudioJSON? {
        let entry = try shown().file.entry
        let (key, options) = (try shown().file.database.encryptionKey, program.options)
        closeFile()
        program.pool.run(.transfers) { [weak self] in
            let compaction = Result { () throws(StudioError) -> FileCompaction? in
                do throws(EngineError) { return try Database.compact(at: entry.path, key: key) } catch {
                    throw StudioError(error)
                }
            }
            let reopened = Result { () throws(StudioError) in try OpenFile.open(entry, key: key, options) }
            self?.onLoop { session in
                answer.give(
                    reopened.flatMap { file in
                        Result { () throws(StudioError) in
                            try session.take(file)
                            guard let compaction = try compaction.get() else { return [:] }
                            return ["before": .int(compaction.before.total), "after": .int(compaction.after.total)]
                        }
                    }
                )
            }
        }
        return nil
    }
}
