import Foundation
import TestScript

/// What the interposer recorded: the writes, truncations and syncs of one file in their order.
struct WriteRecord {
    enum Event {
        case write(offset: Int, bytes: [UInt8])
        /// Through a descriptor that syncs each write.
        case durableWrite(offset: Int, bytes: [UInt8])
        case truncate(size: Int)
        case allocate(end: Int)
        case sync
        /// The process printed this line.
        case said(String)
    }

    var events: [Event] = []

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
            switch kind {
            case 1: events.append(.write(offset: offset, bytes: bytes))
            case 2: events.append(.truncate(size: offset))
            case 3: events.append(.sync)
            case 4: events.append(.durableWrite(offset: offset, bytes: bytes))
            case 5: events.append(.said(String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .newlines)))
            case 6: events.append(.allocate(end: offset + length))
            default: throw ChildProcess.Failure(description: "unknown entry \(kind) in the record")
            }
        }
    }
}

/// A disk with one file, which keeps what was synced and may lose or reorder the rest at a crash.
struct SimulatedDisk {
    /// What is certainly on the disk.
    private(set) var durable: [UInt8]
    /// What was written since, in order.
    private(set) var pending: [WriteRecord.Event] = []

    init(_ contents: [UInt8]) { durable = contents }

    mutating func record(_ event: WriteRecord.Event) {
        switch event {
        case .write, .truncate, .allocate: pending.append(event)
        case .durableWrite: Self.apply(event, to: &durable)
        case .sync:
            for event in pending { Self.apply(event, to: &durable) }
            pending = []
        case .said: break
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
        case .sync, .said: break
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

    /// What the file can look like after a crash now: nothing of the pending writes arrived, or all; each page alone
    /// missing; each alone arrived; random subsets in random order.
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
