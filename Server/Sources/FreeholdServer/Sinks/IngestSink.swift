public import FreeholdBSON
public import FreeholdServerStore
public import FreeholdSyncCore

/// Where objects of a class go that takes new objects only (asymmetric classes): a file, an HTTP address, something of your own.
///
/// Objects are in the server's store before their device hears of it. From there an ``IngestPump`` hands them on, batch by batch, and notes
/// how far it is when a batch was delivered. So each is delivered at least once, whatever dies. Whoever is handed a batch again gets the
/// same objects, and, if ``needsSameBatches``, under the same ``IngestBatch/key``.
public protocol IngestSink: Sendable {
    /// Whether a batch that is delivered again must have the bounds and the key that it had.
    var needsSameBatches: Bool { get }

    /// Is called before anything is delivered, and again when something is after ``close()``.
    ///
    /// - Parameter notes: what ``deliver(_:)`` returned last and was noted; empty the first time.
    func resume(_ notes: BSONDocument) async throws

    /// Takes a batch. What it has taken must be durable when it returns.
    ///
    /// - Returns: what ``resume(_:)`` should know after a restart.
    /// - Throws: anything: the batch comes again, later. ``IngestFailure`` can say when.
    func deliver(_ batch: IngestBatch) async throws -> BSONDocument

    /// Lets go of what it has open.
    func close() async

    /// How many objects were put aside since the sink was made, because their receiver didn't take them.
    var givenUp: Int { get }
}

extension IngestSink {
    public var needsSameBatches: Bool { false }
    public func resume(_ notes: BSONDocument) async throws {}
    public func close() async {}
    public var givenUp: Int { 0 }
}

/// Objects that are delivered together.
public struct IngestBatch: Sendable {
    public let stream: StreamName
    public let className: SyncString
    /// Tells this batch from all others.
    public let key: String
    public let objects: [IngestedObject]
    /// When it was tried for the first time, in milliseconds since 1970.
    public let firstAttempt: Int64

    public init(
        stream: StreamName,
        className: SyncString,
        key: String,
        objects: [IngestedObject],
        firstAttempt: Int64
    ) {
        self.stream = stream
        self.className = className
        self.key = key
        self.objects = objects
        self.firstAttempt = firstAttempt
    }
}

/// Why a batch couldn't be delivered.
public struct IngestFailure: Error, Sendable, CustomStringConvertible {
    /// In a sentence.
    public let reason: String
    /// The system's number (`errno`), if it was a call that failed.
    public let code: Int32?
    /// How long the receiver wants to be left alone.
    public let pause: Duration?

    public init(_ reason: String, code: Int32? = nil, pause: Duration? = nil) {
        self.reason = reason
        self.code = code
        self.pause = pause
    }

    public var description: String { reason }
}
