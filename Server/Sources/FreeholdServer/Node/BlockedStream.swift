import FreeholdSyncCore

/// The description of a stream that can't be written at present, for `/status`.
public struct BlockedStream: Hashable, Sendable, Codable {
    public let app: String
    /// The stream in the form that logs have.
    public let stream: String
    /// The number of writes that failed in a row.
    public let failures: Int
    /// The store's text for the last failure.
    public let reason: String
    /// A Boolean value that indicates whether the last write failed because a disk is full.
    public let isDiskFull: Bool

    init(_ name: StreamName, failures: Int, reason: String, isDiskFull: Bool) {
        (app, stream) = (name.app.string, "\(name)")
        (self.failures, self.reason, self.isDiskFull) = (failures, reason, isDiskFull)
    }
}

/// A filter that decides which failures of the store are logged. Without it, devices that repeat their requests would fill the log, and the disk
/// with it.
struct FailureLog {
    /// The longest pause, in milliseconds.
    private static let longestPause: Int64 = 60_000
    private var lines: [String: (at: Int64, reason: String, pause: Int64)] = [:]

    /// Returns a Boolean value that indicates whether a failure is logged: the first one of a source, one with another reason, and then one
    /// after pauses that grow to a minute.
    ///
    /// - Parameters:
    ///   - source: The stream, or the part of the server, that failed.
    ///   - now: In milliseconds.
    mutating func takes(_ reason: String, of source: String, at now: Int64) -> Bool {
        var pause: Int64 = 1_000
        if let last = lines[source], last.reason == reason {
            guard now - last.at >= last.pause else { return false }
            pause = min(last.pause * 2, Self.longestPause)
        }
        if lines.count >= 10_000 { lines = [:] }
        lines[source] = (now, reason, pause)
        return true
    }

    /// Records that a source has succeeded. Its next failure is logged.
    mutating func succeeded(_ source: String) {
        if !lines.isEmpty { lines[source] = nil }
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
        case .uncertain(let text): "unknown result: \(text.string)"
        }
    }
}

extension ServerStoreRequest.Kind {
    /// A Boolean value that indicates whether the request writes the stream's file.
    var isWrite: Bool {
        switch self {
        case .makeFile, .openWriter, .noteFile, .noteQueries, .noteFront, .commit, .stage, .dropParts, .keepPart,
            .trimParts,
            .trimFiles, .trimWriters, .trim:
            true
        case .bind, .read, .parts, .keptParts, .step, .page, .keys, .objects: false
        }
    }
}
