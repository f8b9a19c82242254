import FreeholdCompression
import FreeholdSyncCore
import Synchronization

/// A message to one or several sessions. It is encoded once, by the first connection that writes it. It is compressed once, by the first
/// connection whose client accepts compression.
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

    /// - Parameter compression: `nil` for a client that doesn't accept compression.
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

    /// Returns whether another message has the same content. The sessions may differ.
    func isEqual(to other: ServerMessage) -> Bool {
        switch (message, other) {
        case (.changes(_, let a), .changes(_, let b)): a == b
        case (.bootstrapChunk(_, let a), .bootstrapChunk(_, let b)): a == b
        default: false
        }
    }
}
