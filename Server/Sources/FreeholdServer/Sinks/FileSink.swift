import Dispatch
public import FreeholdBSON
import FreeholdServerStore
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A sink that writes objects as lines of JSON into files: `reading-00000001.jsonl`, `reading-00000002.jsonl`, ….
///
/// A line is a document in Extended JSON, with `_id` first. All files except the last one are complete and no longer
/// change. The programs that use them may remove them.
///
/// **Each object is written once.** A batch is on the disk before it counts as delivered. A batch that is delivered
/// again, because a process died in between, is compared with the keys of the last lines. An incomplete last line is
/// removed. An object whose key is among the last ``Options/rememberedKeys`` is skipped, regardless of its origin.
public final class FileSink: IngestSink, Sendable {
    public struct Options: Sendable {
        /// The size in bytes from which a file is followed by another one.
        public var fileSize: Int
        /// The number of most recent keys that are compared. It must be at least the size of two batches.
        public var rememberedKeys: Int
        /// The format of documents. Canonical Extended JSON contains the type of each number.
        public var format: ExtendedJSONFormat

        public init(
            fileSize: Int = 256 << 20,
            rememberedKeys: Int = 50_000,
            format: ExtendedJSONFormat = .relaxed
        ) {
            self.fileSize = max(fileSize, 1)
            self.rememberedKeys = max(rememberedKeys, 1)
            self.format = format
        }
    }

    let folder: String
    let name: String
    let options: Options
    let calls: DiskCalls
    private let work = DispatchQueue(label: "freehold.server.file-sink")
    private let state = Mutex<FileSinkState?>(nil)

    /// - Parameters:
    ///   - folder: The folder of the files. It must exist.
    ///   - name: The beginning of the files' names: letters, digits, `-` and `_`.
    /// - Throws: `IngestFailure` for an invalid name.
    public convenience init(_ folder: String, name: String, options: Options = Options()) throws(IngestFailure) {
        try self.init(folder, name: name, options: options, calls: .system)
    }

    package init(_ folder: String, name: String, options: Options, calls: DiskCalls) throws(IngestFailure) {
        let isName = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        guard isName, 1...200 ~= name.utf8.count else {
            throw IngestFailure("'\(name.prefix(80))' can't be the name of files: letters, digits, '-' and '_' can.")
        }
        (self.folder, self.name, self.options, self.calls) = (folder, name, options, calls)
    }

    public func resume(_ notes: BSONDocument) async throws {
        try await perform { sink in
            try sink.state.withLock { state in
                state?.close()
                state = nil
                state = try FileSinkState(recovering: sink, notes)
            }
        }
    }

    public func deliver(_ batch: IngestBatch) async throws -> BSONDocument {
        try await perform { sink in
            try sink.state.withLock { state in
                if state == nil || state?.isUnsure == true {
                    state?.close()
                    state = nil
                    state = try FileSinkState(recovering: sink, [:])
                }
                return try state!.append(batch.objects)
            }
        }
    }

    public func close() async {
        try? await perform { sink in
            sink.state.withLock { state in
                state?.close()
                state = nil
            }
        }
    }

    private func perform<Result: Sendable>(_ body: @escaping @Sendable (FileSink) throws -> Result) async throws
        -> Result
    {
        try await withCheckedThrowingContinuation { continuation in
            work.async { continuation.resume(with: Swift.Result { try body(self) }) }
        }
    }

    // MARK: Names

    func path(_ number: Int) -> String {
        let digits = String(number)
        return "\(folder)/\(name)-" + String(repeating: "0", count: max(8 - digits.utf8.count, 0)) + digits + ".jsonl"
    }

    /// Returns the numbers of the existing files, in rising order.
    func numbers() throws(IngestFailure) -> [Int] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder).compactMap { file in
                guard file.hasPrefix(name + "-"), file.hasSuffix(".jsonl") else { return nil }
                let digits = file.dropFirst(name.utf8.count + 1).dropLast(6)
                guard digits.utf8.count >= 8, digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
                return Int(digits)
            }
            .sorted()
        } catch {
            throw IngestFailure("The folder \(folder) can't be read: \(error)")
        }
    }
}

/// The last file of a sink, and the keys at its end.
struct FileSinkState {
    private let sink: FileSink
    private var number: Int
    private var file: DiskFile
    private var size: Int
    private var keys: RecentKeys
    /// A Boolean value that indicates whether a write failed and its beginning couldn't be removed.
    private(set) var isUnsure = false

    /// Opens the files after an end of any kind: removes an incomplete last line, and reads the keys at the end.
    ///
    /// - Parameter notes: The end of the last recorded batch. Nothing before it is ever removed.
    init(recovering sink: FileSink, _ notes: BSONDocument) throws(IngestFailure) {
        self.sink = sink
        keys = RecentKeys(limit: sink.options.rememberedKeys)
        let numbers = try sink.numbers()
        number = numbers.last ?? 1
        let isNew = numbers.isEmpty
        file = try DiskFile(sink.path(number), isNew: isNew, calls: sink.calls)
        if isNew { try DiskFile.syncFolder(sink.folder) }
        try file.lock()
        size = try file.size()
        // The notes may belong to another folder, because the folder of a sink can be changed.
        let isOwn = notes["file"]?.int64Value == Int64(number) && notes["folder"]?.stringValue == sink.folder
        let noted = isOwn ? Int(notes["length"]?.int64Value ?? 0) : 0
        let end = try Self.endOfLines(file, size)
        if end < size {
            guard end >= noted else {
                throw IngestFailure(
                    "\(file.path) doesn't end with the line with which it ended before: another program has written to it."
                )
            }
            try file.truncate(to: end)
            try file.sync()
            size = end
        }
        try learn(numbers.isEmpty ? [number] : numbers)
    }

    /// Returns the offset after the last line break.
    private static func endOfLines(_ file: DiskFile, _ size: Int) throws(IngestFailure) -> Int {
        var end = size
        while end > 0 {
            let start = max(end - (64 << 10), 0)
            let bytes = try file.read(at: start, count: end - start)
            if let last = bytes.lastIndex(of: 0x0A) { return start + last + 1 }
            end = start
        }
        return 0
    }

    /// Reads keys from the end backwards, over several files, until there are enough.
    private mutating func learn(_ numbers: [Int]) throws(IngestFailure) {
        var found: [String] = []
        for number in numbers.reversed() where found.count < sink.options.rememberedKeys {
            let file = number == self.number ? file : try DiskFile(sink.path(number), calls: sink.calls)
            var end = try number == self.number ? size : file.size()
            var rest: [UInt8] = []
            while end > 0, found.count < sink.options.rememberedKeys {
                let start = max(end - (1 << 20), 0)
                var bytes = try file.read(at: start, count: end - start) + rest
                end = start
                if start > 0 {
                    // The first line may begin before these bytes.
                    let first = bytes.firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count
                    rest = Array(bytes[..<first])
                    bytes.removeFirst(first)
                }
                for line in bytes.split(separator: 0x0A).reversed() { found.append(Self.key(Array(line))) }
            }
        }
        for key in found.prefix(sink.options.rememberedKeys).reversed() { keys.insert(key) }
    }

    private static func key(_ line: [UInt8]) -> String {
        guard let id = (try? BSONDocument(extendedJSON: line))?["_id"] else { return "" }
        return key(id)
    }

    /// Returns the key in a form that doesn't depend on the format of the lines.
    private static func key(_ id: BSONValue) -> String { (try? id.extendedJSON(.relaxed)) ?? "" }

    func close() { file.close() }

    // MARK: Writing

    /// Appends objects.
    ///
    /// - Returns: The notes.
    mutating func append(_ objects: [IngestedObject]) throws(IngestFailure) -> BSONDocument {
        var bytes: [UInt8] = []
        var added: [String] = []
        var known: Set<String> = []
        for object in objects {
            let key = Self.key(object.document["_id"] ?? .null)
            guard !keys.contains(key), known.insert(key).inserted else { continue }
            added.append(key)
            do { bytes += try object.document.extendedJSON(sink.options.format).utf8 } catch {
                throw IngestFailure("An object can't be written as JSON: \(error)")
            }
            bytes.append(0x0A)
        }
        if !bytes.isEmpty {
            if size > 0, size + bytes.count > sink.options.fileSize { try beginFile() }
            do throws(IngestFailure) {
                try file.write(bytes, at: size)
                try file.sync()
            } catch {
                takeBack()
                throw error
            }
            size += bytes.count
            for key in added { keys.insert(key) }
        }
        return ["folder": .string(sink.folder), "file": .int64(Int64(number)), "length": .int64(Int64(size))]
    }

    /// Removes the beginning of a failed write.
    private mutating func takeBack() {
        do throws(IngestFailure) {
            try file.truncate(to: size)
            try file.sync()
        } catch {
            isUnsure = true
        }
    }

    private mutating func beginFile() throws(IngestFailure) {
        let next = try DiskFile(sink.path(number + 1), isNew: true, calls: sink.calls)
        try next.lock()
        try DiskFile.syncFolder(sink.folder)
        file.close()
        (file, number, size) = (next, number + 1, 0)
    }
}

/// The most recent keys.
struct RecentKeys {
    private let limit: Int
    private var keys: Set<String> = []
    private var ring: [String] = []
    private var next = 0

    init(limit: Int) { self.limit = limit }

    func contains(_ key: String) -> Bool { keys.contains(key) }

    mutating func insert(_ key: String) {
        guard keys.insert(key).inserted else { return }
        if ring.count < limit {
            ring.append(key)
        } else {
            keys.remove(ring[next])
            ring[next] = key
            next = (next + 1) % limit
        }
    }
}
