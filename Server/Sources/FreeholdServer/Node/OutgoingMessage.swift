import FreeholdCompression
import FreeholdSyncCore
import Synchronization

/// A message on its way to one or many sessions. Its bytes are made once, by the first connection that writes it, and compressed once, by the
/// first one whose client takes that.
struct OutgoingMessage: Sendable {
    let session: SessionNumber?
    let frame: SharedFrame
}

final class SharedFrame: Sendable {
    let message: ServerMessage
    private let forms = Mutex(Forms())

    private struct Forms {
        var plain: Result<SharedMessage, CodecError>?
        var compressed: SharedMessage?
    }

    init(_ message: ServerMessage) { self.message = message }

    /// - Parameter compression: nil for a client that takes plain messages only.
    func bytes(
        for session: SessionNumber?,
        _ compression: (any MessageCompression)?
    ) throws(CodecError) -> [UInt8] {
        let result = forms.withLock { forms in
            if compression != nil, let known = forms.compressed { return Result<_, CodecError>.success(known) }
            let plain = forms.plain ?? Result { () throws(CodecError) in try MessageCodec(limit: .max).shared(message) }
            forms.plain = plain
            guard let compression else { return plain }
            return plain.map { plain in
                let compressed = plain.compressed(by: compression)
                forms.compressed = compressed
                return compressed
            }
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
