import FreeholdSyncCore
import Synchronization

/// A message on its way to one or many sessions. Its bytes are made once, by the first connection that writes it.
struct OutgoingMessage: Sendable {
    let session: SessionNumber?
    let frame: SharedFrame
}

final class SharedFrame: Sendable {
    let message: ServerMessage
    private let encoded = Mutex<Result<SharedMessage, CodecError>?>(nil)

    init(_ message: ServerMessage) { self.message = message }

    func bytes(for session: SessionNumber?) throws(CodecError) -> [UInt8] {
        let result = encoded.withLock { encoded in
            if let encoded { return encoded }
            let new = Result { () throws(CodecError) in try MessageCodec(limit: .max).shared(message) }
            encoded = new
            return new
        }
        return try result.get().frame(for: session)
    }

    /// Whether the message says the same, to whichever session.
    func isEqual(to other: ServerMessage) -> Bool {
        switch (message, other) {
        case (.changes(_, let a), .changes(_, let b)): a == b
        case (.bootstrapChunk(_, let a), .bootstrapChunk(_, let b)): a == b
        default: false
        }
    }
}
