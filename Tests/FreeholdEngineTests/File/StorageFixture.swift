import Foundation
import Synchronization
import Testing

@testable import FreeholdEngine

/// A temporary folder, removed together with the fixture.
final class TemporaryFolder: Sendable {
    let path: String

    init() {
        path = NSTemporaryDirectory() + "freehold-tests-" + UUID().uuidString
        try! FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String = "test.realm") -> String { path + "/" + name }

    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? [] }
}

func bytes(_ byte: UInt8, _ count: Int) -> [UInt8] { Array(repeating: byte, count: count) }

extension StorageWriter {
    func put(_ segment: UInt32, _ number: UInt64, _ bytes: [UInt8]) throws(EngineError) {
        let address = BlockAddress(segment: segment, number: number)
        var failure: EngineError?
        bytes.withUnsafeBytes { bytes in
            do throws(EngineError) { try put(address, bytes) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    func bytes(_ segment: UInt32, _ number: UInt64) -> [UInt8]? {
        get(BlockAddress(segment: segment, number: number)).map(Array.init)
    }
}

extension StorageReader {
    func bytes(_ segment: UInt32, _ number: UInt64) -> [UInt8]? {
        get(BlockAddress(segment: segment, number: number)).map(Array.init)
    }

    func numbers(in segment: UInt32) -> [UInt64] {
        var numbers: [UInt64] = []
        try! forEach(segment: segment) { number, _ in
            numbers.append(number)
            return true
        }
        return numbers
    }
}

extension StorageEnvironment {
    /// One write transaction, committed; aborted if `body` throws.
    @discardableResult
    func write(
        in envelope: BlockEnvelope = .bare,
        _ body: (StorageWriter) throws(EngineError) -> Void
    ) throws(EngineError) -> UInt64 {
        try writer.sync { () throws(EngineError) in
            let transaction = try beginWrite(envelope)
            try body(transaction)
            return try transaction.commit()
        }
    }
}

extension Database {
    /// Stores a block past the engine, in the envelope that the engine would; nil removes it.
    func store(_ segment: UInt32, _ number: UInt64, _ bytes: [UInt8]?) throws(EngineError) {
        try core.storage.write(in: core.envelope) { writer throws(EngineError) in
            if let bytes {
                try writer.put(segment, number, bytes)
            } else {
                try writer.remove(BlockAddress(segment: segment, number: number))
            }
        }
    }

    /// The block of the newest version that is stored there.
    func stored(_ segment: UInt32, _ number: UInt64) throws(EngineError) -> [UInt8]? {
        let address = BlockAddress(segment: segment, number: number)
        return try snapshot().storedBlock(address).flatMap { core.envelope.bytes($0, at: address) }
    }
}

func code(_ body: () throws(EngineError) -> Void) -> EngineError.Code? {
    do throws(EngineError) {
        try body()
        return nil
    } catch { return error.code }
}

func error(_ body: () throws(EngineError) -> Void) -> EngineError? {
    do throws(EngineError) {
        try body()
        return nil
    } catch { return error }
}

/// A value that closures on several threads use.
final class Shared<Value>: Sendable {
    private let mutex: Mutex<Value>

    init(_ value: sending Value) { mutex = Mutex(value) }

    func withLock<R>(_ body: (inout sending Value) -> sending R) -> R { mutex.withLock(body) }
}
