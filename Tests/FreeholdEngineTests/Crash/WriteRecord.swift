import Foundation
import TestScript

/// The record of the interposer: the writes, truncations and syncs of one file in their order.
struct WriteRecord {
    enum Event {
        case write(offset: Int, bytes: [UInt8])
        /// Through a descriptor that syncs each write.
        case durableWrite(offset: Int, bytes: [UInt8])
        case truncate(size: Int)
        case allocate(end: Int)
        case sync
        /// The begin of the sync with this number. An entry of its own ends it.
        case syncBegins(Int)
        case syncEnds(Int)
        case unlink
        case folderSync
        /// The process printed this line.
        case said(String)
    }

    /// The events of the data file.
    var events: [Event] {
        entries.compactMap { entry in
            switch entry.event {
            case .syncBegins, .folderSync: nil
            case .syncEnds: entry.isLog ? nil : .sync
            default: entry.isLog ? nil : entry.event
            }
        }
    }

    /// The entries of the data file and of its commit log.
    private(set) var entries: [(isLog: Bool, event: Event)] = []

    init(contentsOf path: String) throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        var at = 0
        func number() -> Int {
            defer { at += 8 }
            return data.withUnsafeBytes {
                Int(truncatingIfNeeded: $0.loadUnaligned(fromByteOffset: at, as: UInt64.self))
            }
        }
        while at + 32 <= data.count {
            let (kind, offset, length, follow) = (number(), number(), number(), number())
            let bytes = [UInt8](data[at..<at + follow])
            at += follow
            let isLog = kind > 16
            func add(_ event: Event) { entries.append((isLog, event)) }
            switch kind & 15 {
            case 1: add(.write(offset: offset, bytes: bytes))
            case 2: add(.truncate(size: offset))
            case 3: add(.syncEnds(offset))
            case 4: add(.durableWrite(offset: offset, bytes: bytes))
            case 5: add(.said(String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .newlines)))
            case 6: add(.allocate(end: offset + length))
            case 7: add(.unlink)
            case 8: add(.folderSync)
            case 9: add(.syncBegins(offset))
            default: throw ChildProcess.Failure(description: "unknown entry \(kind) in the record")
            }
        }
    }
}

/// A disk with one file, which keeps what was synced and may lose or reorder the rest at a crash.
struct SimulatedDisk {
    /// The bytes that are certainly on the disk.
    private(set) var durable: [UInt8]
    /// The later writes, in order.
    private(set) var pending: [WriteRecord.Event] = []

    init(_ contents: [UInt8]) { durable = contents }

    mutating func record(_ event: WriteRecord.Event) {
        switch event {
        case .write, .truncate, .allocate: pending.append(event)
        case .durableWrite: Self.apply(event, to: &durable)
        case .sync:
            for event in pending { Self.apply(event, to: &durable) }
            pending = []
        case .said, .syncBegins, .syncEnds, .unlink, .folderSync: break
        }
    }

    static func apply(_ event: WriteRecord.Event, to contents: inout [UInt8]) {
        switch event {
        case .write(let offset, let bytes), .durableWrite(let offset, let bytes):
            let end = offset + bytes.count
            if contents.count < end { contents += [UInt8](repeating: 0, count: end - contents.count) }
            contents.replaceSubrange(offset..<end, with: bytes)
        case .truncate(let size):
            if contents.count > size {
                contents.removeLast(contents.count - size)
            } else {
                contents += [UInt8](repeating: 0, count: size - contents.count)
            }
        case .allocate(let end):
            if contents.count < end { contents += [UInt8](repeating: 0, count: end - contents.count) }
        case .sync, .said, .syncBegins, .syncEnds, .unlink, .folderSync: break
        }
    }

    private func image(_ events: [WriteRecord.Event]) -> [UInt8] {
        var contents = durable
        for event in events { Self.apply(event, to: &contents) }
        return contents
    }

    /// Writes of whole pages: what a disk loses or keeps on its own.
    private var pieces: [WriteRecord.Event] {
        pending.flatMap { event -> [WriteRecord.Event] in
            guard case .write(let offset, let bytes) = event else { return [event] }
            return stride(from: 0, to: bytes.count, by: 4096).map {
                .write(offset: offset + $0, bytes: Array(bytes[$0..<min($0 + 4096, bytes.count)]))
            }
        }
    }

    /// Returns files that a crash could leave now: with none of the pending writes, or all; with each single page
    /// missing; with only each single page; with random subsets in random order.
    func images(random count: Int, using generator: inout some RandomNumberGenerator) -> [[UInt8]] {
        guard !pending.isEmpty else { return [durable] }
        var images = [durable, image(pending)]
        let pieces = pieces
        if pieces.count > 1 {
            for _ in 0..<min(count, pieces.count) {
                let chosen = Int.random(in: 0..<pieces.count, using: &generator)
                images.append(image(pieces.enumerated().filter { $0.offset != chosen }.map(\.element)))
                images.append(image([pieces[chosen]]))
            }
            for _ in 0..<count {
                let subset = pieces.filter { _ in Bool.random(using: &generator) }
                images.append(image(subset.shuffled(using: &generator)))
            }
        }
        return images
    }
}

/// A disk with a data file and its commit log. At a crash either loses or reorders what wasn't synced, on its own.
struct SimulatedDisks {
    /// One file's contents: what is certainly on the disk, and what was written since.
    private struct File {
        var durable: [UInt8]
        var pending: [(serial: Int, event: WriteRecord.Event)] = []
        var serial = 0
        /// The first write that a sync needn't include, by the number of the sync.
        var syncs: [Int: Int] = [:]

        mutating func record(_ event: WriteRecord.Event) {
            switch event {
            case .write, .truncate, .allocate:
                pending.append((serial, event))
                serial += 1
            case .durableWrite: SimulatedDisk.apply(event, to: &durable)
            case .syncBegins(let number): syncs[number] = serial
            case .syncEnds(let number):
                let end = syncs[number] ?? 0
                for write in pending where write.serial < end { SimulatedDisk.apply(write.event, to: &durable) }
                pending.removeAll { $0.serial < end }
            case .sync, .said, .unlink, .folderSync: break
            }
        }

        func image(_ events: [WriteRecord.Event]) -> [UInt8] {
            var contents = durable
            for event in events { SimulatedDisk.apply(event, to: &contents) }
            return contents
        }

        var newest: [UInt8] { image(pending.map(\.event)) }

        private var pieces: [WriteRecord.Event] {
            pending.flatMap { write -> [WriteRecord.Event] in
                guard case .write(let offset, let bytes) = write.event else { return [write.event] }
                return stride(from: 0, to: bytes.count, by: 4096).map {
                    .write(offset: offset + $0, bytes: Array(bytes[$0..<min($0 + 4096, bytes.count)]))
                }
            }
        }

        func randomImage(using generator: inout some RandomNumberGenerator) -> [UInt8] {
            let pieces = pieces
            guard !pieces.isEmpty else { return durable }
            switch Int.random(in: 0..<4, using: &generator) {
            case 0:
                // All except one.
                let lost = Int.random(in: 0..<pieces.count, using: &generator)
                return image(pieces.enumerated().filter { $0.offset != lost }.map(\.element))
            case 1: return image([pieces[Int.random(in: 0..<pieces.count, using: &generator)]])
            case 2: return image(Array(pieces.prefix(Int.random(in: 0...pieces.count, using: &generator))))
            default:
                let subset = pieces.filter { _ in Bool.random(using: &generator) }
                return image(subset.shuffled(using: &generator))
            }
        }
    }

    private var data: File
    /// The log as the process sees it.
    private var log: File?
    /// The log that the folder on the disk names, or `nil` if the process sees the same one.
    private var olderLog: File??

    init(_ data: [UInt8], log: [UInt8]?) {
        self.data = File(durable: data)
        self.log = log.map { File(durable: $0) }
    }

    mutating func record(_ isLog: Bool, _ event: WriteRecord.Event) {
        guard isLog else {
            if case .folderSync = event { olderLog = nil }
            return data.record(event)
        }
        if case .unlink = event {
            if olderLog == nil { olderLog = .some(log) }
            log = nil
            return
        }
        if log == nil {
            if olderLog == nil { olderLog = .some(nil) }
            log = File(durable: [])
        }
        log!.record(event)
    }

    /// Returns both files as a crash could leave them now.
    func images(
        random count: Int,
        using generator: inout some RandomNumberGenerator
    ) -> [(data: [UInt8], log: [UInt8]?)] {
        let logs: [File?] = olderLog.map { [log, $0] } ?? [log]
        var images: [(data: [UInt8], log: [UInt8]?)] = []
        for log in logs {
            images += [(data.durable, log?.durable), (data.newest, log?.durable), (data.durable, log?.newest)]
            images.append((data.newest, log?.newest))
            for _ in 0..<count {
                let bytes = data.randomImage(using: &generator)
                images.append((bytes, log?.randomImage(using: &generator)))
            }
        }
        return images
    }
}
