import Foundation
import FreeholdBSON
import FreeholdServerStore
import FreeholdSyncCore
import Synchronization
import Testing

@testable import FreeholdServer

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

let isSoak = ProcessInfo.processInfo.environment["FREEHOLD_SOAK"] != nil

/// A temporary folder that is removed with the object.
final class SinkFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "freehold-sinks-\(UUID().uuidString)").path()
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }

    /// Returns the `_id`s of all lines of a sink's files, in order. Throws ``TornLine`` if a line is incomplete.
    func keys(of name: String = "reading") throws -> [Int64] {
        var keys: [Int64] = []
        for file in try names() where file.hasPrefix(name + "-") {
            let text = try String(contentsOfFile: path + "/" + file, encoding: .utf8)
            guard text.isEmpty || text.hasSuffix("\n") else { throw TornLine(file: file) }
            for line in text.split(separator: "\n") {
                let document = try BSONDocument(extendedJSON: String(line))
                keys.append(try #require(document["_id"]?.asInt64()))
            }
        }
        return keys
    }

    struct TornLine: Error { let file: String }
}

/// Objects in memory with the behaviour of a store.
final class MemorySource: IngestSource, Sendable {
    let stream = StreamName(app: "shop")
    let className: SyncString = "Reading"

    private struct State {
        var objects: [(row: Int64, object: IngestedObject)] = []
        var nextRow: Int64 = 0
        /// The hash of each version.
        var hashes: [RunningHash] = [.empty]
        var epoch: UInt64 = 1
        var removed = 0
        /// The number of objects and the number of the next row at each version.
        var states: [(rows: Int, nextRow: Int64)] = [(0, 0)]
    }

    private let state = Mutex(State())

    static func object(_ key: Int64) -> IngestedObject {
        IngestedObject(
            name: ObjectName("Reading", .int(key)),
            document: ["_id": .int64(key), "text": .string("größe \(key)"), "value": .double(Double(key) / 3)]
        )
    }

    /// Adds objects in one commit.
    func add(_ keys: some Sequence<Int64>) {
        state.withLock { state in
            for key in keys {
                state.objects.append((state.nextRow, Self.object(key)))
                state.nextRow += 1
            }
            let hash = state.hashes[state.hashes.count - 1].appending(Array("\(state.nextRow) \(state.epoch)".utf8))
            state.hashes.append(hash)
            state.states.append((state.objects.count, state.nextRow))
        }
    }

    /// Resets the store to the state of a version, as a restored backup does.
    func goBack(to version: Int) {
        state.withLock { state in
            state.objects.removeSubrange(state.states[version].rows...)
            state.nextRow = state.states[version].nextRow
            state.hashes.removeSubrange((version + 1)...)
            state.states.removeSubrange((version + 1)...)
            state.epoch += 1
        }
    }

    var version: Int { state.withLock { $0.hashes.count - 1 } }
    var removed: Int { state.withLock { $0.removed } }

    func page(after position: IngestPosition, upTo end: IngestPosition?, count: Int, bytes: Int) -> IngestedPage {
        state.withLock { state in
            let found = state.objects.filter { $0.row > position.row && $0.row <= end?.row ?? .max }
            let taken = found.prefix(count)
            let version = state.hashes.count - 1
            return IngestedPage(
                objects: taken.map(\.object),
                position: IngestPosition(row: taken.last?.row ?? position.row, other: -1),
                cursor: Cursor(epoch: state.epoch, version: UInt64(version), hash: state.hashes[version]),
                hasMore: taken.count < found.count
            )
        }
    }

    func count(after position: IngestPosition) -> Int {
        state.withLock { $0.objects.count { $0.row > position.row } }
    }

    func hash(at version: StreamVersion) -> RunningHash? {
        state.withLock { $0.hashes.indices.contains(Int(version)) ? $0.hashes[Int(version)] : nil }
    }

    func remove(upTo position: IngestPosition) {
        state.withLock { state in
            let before = state.objects.count
            state.objects.removeAll { $0.row <= position.row }
            state.removed += before - state.objects.count
        }
    }
}

/// A disk that fails at a given call, or is full.
final class FaultyDisk: Sendable {
    struct Faults {
        /// The number of the call at which the process dies: this call and all later calls fail.
        var death: Int?
        /// The part of the data that is written by the call at which the process dies, in percent.
        var share = 50
        /// The numbers of the calls during which the disk is full.
        var full = 0..<0
        /// A Boolean value that indicates whether truncating a file fails while the disk is full.
        var cutFails = false
    }

    private let faults: Faults
    private let done = Mutex(0)

    init(_ faults: Faults = Faults()) { self.faults = faults }

    var count: Int { done.withLock { $0 } }

    private func next() -> Int {
        done.withLock {
            $0 += 1; return $0 - 1
        }
    }

    private func isDead(_ call: Int) -> Bool { faults.death.map { call >= $0 } ?? false }

    var calls: DiskCalls {
        let system = DiskCalls.system
        var calls = DiskCalls()
        calls.write = { [self] descriptor, bytes, count, offset in
            let call = next()
            if isDead(call) {
                if call == faults.death { _ = system.write(descriptor, bytes, count * faults.share / 100, offset) }
                errno = EIO
                return -1
            }
            if faults.full.contains(call) {
                // A part of the data fits.
                if call == faults.full.lowerBound, count > 1 {
                    return system.write(descriptor, bytes, count / 2, offset)
                }
                errno = ENOSPC
                return -1
            }
            return system.write(descriptor, bytes, count, offset)
        }
        calls.sync = { [self] descriptor in
            if isDead(next()) {
                errno = EIO
                return -1
            }
            return system.sync(descriptor)
        }
        calls.truncate = { [self] descriptor, size in
            let call = next()
            if isDead(call) || (faults.cutFails && faults.full.contains(call)) {
                errno = EIO
                return -1
            }
            return system.truncate(descriptor, size)
        }
        return calls
    }
}

extension IngestPump {
    /// Returns a pump with a source in memory and a file sink.
    static func files(
        _ source: MemorySource,
        _ folder: SinkFolder,
        _ disk: FaultyDisk = FaultyDisk(),
        fileSize: Int = 2_000,
        rememberedKeys: Int = 1_000,
        options: Options = Options(batchObjects: 7, idle: .milliseconds(5), backoff: .quick)
    ) throws -> IngestPump {
        let sink = try FileSink(
            folder.path,
            name: "reading",
            options: .init(fileSize: fileSize, rememberedKeys: rememberedKeys),
            calls: disk.calls
        )
        return IngestPump(
            source,
            to: sink,
            ledger: folder.path + "/ledger",
            options: options,
            calls: disk.calls,
            now: HookClock.now
        )
    }
}

extension IngestBackoff {
    static let quick = IngestBackoff(
        first: .milliseconds(1),
        greatest: .milliseconds(4),
        greatestAsked: .milliseconds(50)
    )
}
