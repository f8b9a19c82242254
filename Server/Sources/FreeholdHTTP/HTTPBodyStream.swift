import Synchronization

/// The body of a request, as a sequence of pieces in the order in which they arrive. While 64 KiB or more wait to be
/// read, the connection doesn't read from the client.
///
/// Only one task may iterate over it, and only once.
public final class HTTPBodyStream: AsyncSequence, Sendable {
    public typealias Element = [UInt8]

    /// An error that ends a body early: the client has closed the connection, was too slow, or has sent too much.
    public struct Broken: Error, Hashable, Sendable { public init() {} }

    private struct State {
        var pieces: [[UInt8]] = []
        var bytes = 0
        var end: Result<Void, Broken>?
        var waiting: CheckedContinuation<[UInt8]?, any Error>?
    }

    private let state = Mutex(State())
    private let taken: @Sendable (Int) -> Void
    private static let most = 64 << 10

    /// - Parameter taken: A closure that is called with the number of bytes of each piece that the reading task has
    ///   received.
    init(_ taken: @escaping @Sendable (Int) -> Void) { self.taken = taken }

    /// A Boolean value that indicates whether the connection should stop reading until pieces are taken.
    var isFull: Bool { state.withLock { $0.bytes >= Self.most } }

    func add(_ piece: [UInt8]) {
        let waiting = state.withLock { state -> CheckedContinuation<[UInt8]?, any Error>? in
            guard state.end == nil else { return nil }
            if let waiting = state.waiting {
                state.waiting = nil
                return waiting
            }
            state.pieces.append(piece)
            state.bytes += piece.count
            return nil
        }
        guard let waiting else { return }
        waiting.resume(returning: piece)
        taken(piece.count)
    }

    func finish(_ end: Result<Void, Broken>) {
        let waiting = state.withLock { state -> CheckedContinuation<[UInt8]?, any Error>? in
            guard state.end == nil else { return nil }
            state.end = end
            defer { state.waiting = nil }
            return state.waiting
        }
        switch end {
        case .success: waiting?.resume(returning: nil)
        case .failure(let error): waiting?.resume(throwing: error)
        }
    }

    private func next() async throws -> [UInt8]? {
        let piece = try await withCheckedThrowingContinuation { continuation in
            let result = state.withLock { state -> Result<[UInt8]?, any Error>? in
                if !state.pieces.isEmpty {
                    let piece = state.pieces.removeFirst()
                    state.bytes -= piece.count
                    return .success(piece)
                }
                switch state.end {
                case .success: return .success(nil)
                case .failure(let error): return .failure(error)
                case nil:
                    precondition(state.waiting == nil, "Two tasks read one body.")
                    state.waiting = continuation
                    return nil
                }
            }
            if let result {
                if case .success(let piece?) = result { taken(piece.count) }
                continuation.resume(with: result)
            }
        }
        return piece
    }

    public func makeAsyncIterator() -> Iterator { Iterator(stream: self) }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let stream: HTTPBodyStream
        public mutating func next() async throws -> [UInt8]? { try await stream.next() }
    }
}
