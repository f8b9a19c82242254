internal import FreeholdEngine

/// An error of a file, with the subject of the failed request.
public struct StoreTrouble: Error, Sendable, CustomStringConvertible {
    public enum Subject: Hashable, Sendable {
        /// An object that the server sent, or that an answer is about.
        case object(ObjectName)
        /// A transaction of the app: its number in the file's journal, and the classes that it changed.
        case work(sequence: UInt64, classes: [SyncString])
    }

    public let subject: Subject?
    public let error: any Error

    public init(_ subject: Subject?, _ error: any Error) { (self.subject, self.error) = (subject, error) }

    /// A Boolean value that indicates whether sync continues without the subject.
    public var isLeftOut: Bool { subject != nil && !isPassing }

    /// A Boolean value that indicates whether the error has its cause in the device and can disappear without a change
    /// of the file.
    public var isPassing: Bool {
        guard let error = error as? EngineError else { return false }
        switch error.code {
        case .fileNotFound, .permissionDenied, .fileInUse, .mapFull, .mapResized, .readersFull, .outOfDiskSpace,
            .environmentFailed,
            .environmentClosed, .readOnly, .busy, .cancelled, .timedOut, .io:
            return true
        case .fileExists, .invalidDatabase, .unsupportedFormat, .schemaMismatch, .invalidArgument, .duplicatePrimaryKey,
            .uniqueConstraint,
            .deletionDenied, .missingValue, .invalidValue, .limitExceeded:
            return false
        }
    }

    public var description: String {
        let about =
            switch subject {
            case .object(let name)?: "The object \(name.key) of class '\(name.className)' can't be stored"
            case .work(let sequence, let classes)?:
                "The transaction \(sequence) of the app, which changes \(classes.map { "'\($0)'" }.joined(separator: ", ")), can't be prepared for the server"
            case nil: "The file can't be read or written"
            }
        let remedy =
            switch subject {
            case _ where isPassing: "Sync tries again. Make room on the device, or see that the file can be written."
            case .object?:
                "Sync continues without the object until the file is opened anew. Check its class's declaration, or update the app."
            case .work?:
                "Sync continues without it. Its changes are kept with the file's lost work: make them anew in smaller transactions."
            case nil:
                "Sync tries again. Close all realms of the file and open it anew; if that doesn't help, delete the file and download it again."
            }
        return "\(about): \(error). \(remedy)"
    }
}

/// The error that replaces an error with which a request failed three times.
public struct RepeatedFailure: Error, Sendable {
    public let trouble: StoreTrouble
}

/// The handling of requests to a file that fail repeatedly, so that one object or one transaction of the app doesn't
/// stop sync.
///
/// A failed request is repeated. In the second attempt the app's transactions are resolved one by one, so that the
/// error identifies the failed one. In the third attempt the subject of the error is left out: an object isn't updated,
/// and a transaction is set aside for the app.
public struct StoreCare: Sendable {
    /// The objects that aren't updated. They are tried again when the file is opened the next time.
    package private(set) var skipped: Set<ObjectName> = []
    /// The numbers of the app's transactions that are set aside.
    package private(set) var setAside: Set<UInt64> = []
    /// A Boolean value that indicates whether the app's transactions are resolved one by one.
    package private(set) var isCareful = false
    /// A Boolean value that indicates whether some of the app's transactions were, or may have been, resolved in an
    /// earlier transaction of the store than the last of them. Their objects can still show default values that give way
    /// to confirmed ones, and can have shadows without pending work. It is `true` at first, because the process may have
    /// ended between two of these transactions.
    var mayHaveLeftovers = true
    /// The number of failures, by the request and the text of the error.
    private var counts: [Failure: Int] = [:]

    private struct Failure: Hashable {
        let request: String
        let text: String
    }

    public init() {}

    static let greatestCount = 3

    mutating func succeeded(_ request: StoreRequest) {
        guard !counts.isEmpty else { return }
        let name = request.name
        counts = counts.filter { $0.key.request != name }
        if counts.isEmpty { isCareful = false }
    }

    /// Counts a failure.
    ///
    /// - Returns: The failed subject if this is the third equal failure.
    mutating func failed(_ error: any Error, _ request: StoreRequest) -> StoreTrouble? {
        let trouble = error as? StoreTrouble ?? StoreTrouble(nil, error)
        if counts.count > 64 { counts = [:] }
        let failure = Failure(request: request.name, text: "\(trouble.error)")
        counts[failure, default: 0] += 1
        isCareful = true
        guard counts[failure] == Self.greatestCount else { return nil }
        guard trouble.isLeftOut else { return trouble }
        switch trouble.subject {
        case .object(let name)?: skipped.insert(name)
        case .work(let sequence, _)?: setAside.insert(sequence)
        case nil: break
        }
        // The next error with the same text can have another subject.
        counts[failure] = nil
        isCareful = !counts.isEmpty
        return trouble
    }
}

extension StoreRequest {
    /// The kind of request.
    fileprivate var name: String {
        switch self {
        case .describe: "describe"
        case .collect: "collect"
        case .bind: "bind"
        case .acknowledge: "acknowledge"
        case .takeIn: "takeIn"
        case .keepPart: "keepPart"
        case .takeParts: "takeParts"
        case .giveUp: "giveUp"
        case .beginBootstrap: "beginBootstrap"
        case .takeInChunk: "takeInChunk"
        case .endBootstrap: "endBootstrap"
        case .subscribe: "subscribe"
        case .sentQueries: "sentQueries"
        case .failQuery: "failQuery"
        case .setOffset: "setOffset"
        case .compare: "compare"
        case .reset: "reset"
        }
    }
}

extension ClientTransaction {
    /// Runs a closure that is about an object. Errors of the closure are wrapped with the name of the object.
    mutating func about<Result>(_ name: ObjectName, _ body: (inout Self) throws -> Result) throws -> Result {
        do { return try body(&self) } catch let error as MisfitUpdate { throw error } catch let error as StoreTrouble {
            throw error
        } catch { throw StoreTrouble(.object(name), error) }
    }
}
