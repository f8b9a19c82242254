import FreeholdSyncCore

/// A stream that can't be written now, as `/status` reports it.
public struct BlockedStream: Hashable, Sendable, Codable {
    public let app: String
    /// The stream in the form that logs have.
    public let stream: String
    /// The number of writes that failed in a row.
    public let failures: Int
    /// The store's text for the last failure.
    public let reason: String

    init(_ name: StreamName, failures: Int, reason: String) {
        (app, stream) = (name.app.string, "\(name)")
        (self.failures, self.reason) = (failures, reason)
    }
}

extension StoreFailure {
    /// The cause, for logs.
    var reason: String {
        switch self {
        case .unavailable(let text): text.string.isEmpty ? "unavailable" : text.string
        case .limit(let text): "too large: \(text.string)"
        case .damaged(let text): "damaged: \(text.string)"
        case .moved: "moved"
        case .unknown: "unknown"
        }
    }
}

extension ServerStoreRequest.Kind {
    /// A Boolean value that indicates whether the request writes the stream's file.
    var isWrite: Bool {
        switch self {
        case .makeFile, .noteFile, .noteQueries, .commit, .stage, .dropParts, .keepPart, .trimParts, .trimFiles, .trim:
            true
        case .bind, .read, .parts, .keptParts, .step, .page, .keys, .objects: false
        }
    }
}
