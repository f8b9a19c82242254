public import FreeholdBSON
public import FreeholdServerStore
public import FreeholdSyncCore

/// The destination of the objects of an asymmetric class: a file, an HTTP address, or an implementation of your own.
///
/// Objects are stored in the server's store before their device receives an answer. An ``IngestPump`` delivers them
/// from there in batches, and records its position after each delivered batch. Each object is therefore delivered at
/// least once. A batch that is delivered again contains the same objects, and also has the same ``IngestBatch/key`` if
/// ``needsSameBatches`` is true.
public protocol IngestSink: Sendable {
    /// A Boolean value that indicates whether a batch that is delivered again must have the same bounds and the same
    /// key.
    var needsSameBatches: Bool { get }

    /// Prepares the sink. It is called before the first delivery, and before the first delivery after ``close()``.
    ///
    /// - Parameter notes: The recorded result of the last ``deliver(_:)``. Empty the first time.
    func resume(_ notes: BSONDocument) async throws

    /// Delivers a batch. The batch must be durable when the call returns.
    ///
    /// - Returns: The notes for ``resume(_:)`` after a restart.
    /// - Throws: Any error. Then the batch is delivered again later. ``IngestFailure`` can contain the time to wait.
    func deliver(_ batch: IngestBatch) async throws -> BSONDocument

    /// Closes all open files and connections.
    func close() async

    /// The number of objects that were set aside since the sink was created, because their receiver didn't accept them.
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
    /// A key that is different for each batch.
    public let key: String
    public let objects: [IngestedObject]
    /// The time of the first attempt, in milliseconds since 1970.
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

/// The reason why a batch couldn't be delivered.
public struct IngestFailure: Error, Sendable, CustomStringConvertible {
    /// A description of the failure, as a sentence.
    public let reason: String
    /// The system's error number (`errno`), if a system call failed.
    public let code: Int32?
    /// The pause that the receiver requested.
    public let pause: Duration?

    public init(_ reason: String, code: Int32? = nil, pause: Duration? = nil) {
        self.reason = reason
        self.code = code
        self.pause = pause
    }

    public var description: String { reason }
}
