import Dispatch
public import FreeholdBSON
import FreeholdServerStore
import FreeholdSyncCore
import Synchronization

/// A sink that sends objects to an HTTP address, with a POST of JSON lines for each batch.
///
/// | Header | |
/// |---|---|
/// | `Content-Type` | `application/x-ndjson` |
/// | `Idempotency-Key` | the key of the batch. A receiver that receives a key again already has the batch |
/// | `Freehold-Signature` | see ``HookSignature`` |
/// | `Freehold-App`, `Freehold-Class` | the origin of the objects, percent-encoded |
/// | `Freehold-Stream` | the stream of the objects, if the app has streams of users |
///
/// A status of 200 to 299 confirms the batch. After any other result the batch is sent again, with
/// increasing pauses (``IngestBackoff``). `Retry-After` is respected. Later objects wait, so that objects arrive in
/// their order. After ``Options/giveUp`` the batch is written to the file of dead letters, and the next batch is sent.
public final class HookSink: IngestSink, Sendable {
    public struct Options: Sendable {
        /// The secrets that sign the requests, newest first. Empty for no signature.
        public var secrets: [String]
        /// Additional headers, such as `Authorization`.
        public var headers: [(name: String, value: String)]
        /// The path of a PEM file with the trusted certificates of the receiver, in the place of the system's.
        public var trustRoots: String?
        /// The maximum duration of a request.
        public var timeout: Duration
        /// The time for which a batch is sent again before it becomes a dead letter.
        public var giveUp: Duration
        public var format: ExtendedJSONFormat

        public init(
            secrets: [String] = [],
            headers: [(name: String, value: String)] = [],
            trustRoots: String? = nil,
            timeout: Duration = .seconds(60),
            giveUp: Duration = .seconds(3 * 86_400),
            format: ExtendedJSONFormat = .relaxed
        ) {
            self.secrets = secrets
            self.headers = headers
            self.trustRoots = trustRoots
            self.timeout = timeout
            self.giveUp = giveUp
            self.format = format
        }
    }

    private let address: HookAddress
    private let letters: DeadLetters
    private let options: Options
    private let transport: any HookTransport
    private let now: @Sendable () -> Int64
    private let lettersWritten = Atomic(0)

    public var needsSameBatches: Bool { true }
    public var givenUp: Int { lettersWritten.load(ordering: .relaxed) }

    /// - Parameters:
    ///   - address: `https://…`, or `http://…` for this machine.
    ///   - deadLetters: The path of the file for undeliverable batches. It is created when it is needed.
    /// - Throws: `IngestFailure` for an invalid address.
    public convenience init(_ address: String, deadLetters: String, options: Options = Options()) throws(IngestFailure)
    {
        try self.init(
            address,
            deadLetters: deadLetters,
            options: options,
            transport: HookClient(trustRoots: options.trustRoots),
            calls: .system,
            now: HookClock.now
        )
    }

    package init(
        _ address: String,
        deadLetters: String,
        options: Options,
        transport: any HookTransport,
        calls: DiskCalls,
        now: @escaping @Sendable () -> Int64
    ) throws(IngestFailure) {
        self.address = try HookAddress(address)
        letters = DeadLetters(deadLetters, calls: calls)
        self.options = options
        self.transport = transport
        self.now = now
        for (name, value) in options.headers {
            guard HookAddress.isToken(name), HookAddress.isFieldValue(value) else {
                throw IngestFailure("'\(name.prefix(80))' isn't a header that can be sent.")
            }
        }
    }

    public func deliver(_ batch: IngestBatch) async throws -> BSONDocument {
        let body = try body(batch)
        do {
            let answer = try await transport.post(request(batch, body))
            if 200...299 ~= answer.status { return [:] }
            throw IngestFailure(
                "\(address.host) answered with \(answer.status).",
                pause: answer.retryAfter.map { .seconds($0) }
            )
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            guard now() - batch.firstAttempt >= Int64(options.giveUp / .milliseconds(1)) else { throw error }
            try await letters.write(batch, because: "\(error)", options.format)
            lettersWritten.add(batch.objects.count, ordering: .relaxed)
            return [:]
        }
    }

    private func body(_ batch: IngestBatch) throws -> [UInt8] {
        var bytes: [UInt8] = []
        for object in batch.objects {
            bytes += try object.document.extendedJSON(options.format).utf8
            bytes.append(0x0A)
        }
        return bytes
    }

    private func request(_ batch: IngestBatch, _ body: [UInt8]) -> HookRequest {
        var headers = [
            (name: "Content-Type", value: "application/x-ndjson"), (name: "Idempotency-Key", value: batch.key),
            (name: "User-Agent", value: "freehold-server"),
        ]
        // Names may contain characters that aren't allowed in headers.
        var origin = [("Freehold-App", batch.stream.app.string), ("Freehold-Class", batch.className.string)]
        if let stream = batch.streamText { origin.append(("Freehold-Stream", stream)) }
        for (name, text) in origin { headers.append((name, HookAddress.percentEncoded(text))) }
        if !options.secrets.isEmpty {
            let value = HookSignature.header(
                secrets: options.secrets,
                time: now() / 1_000,
                key: batch.key,
                body: body
            )
            headers.append(("Freehold-Signature", value))
        }
        return HookRequest(
            address: address,
            headers: headers + options.headers,
            body: body,
            timeout: options.timeout
        )
    }
}

extension IngestBatch {
    /// The stream as text. `nil` for the app's own stream.
    fileprivate var streamText: String? {
        switch stream.value {
        case nil: nil
        case .string(let text)?: text.string
        case let value?: "\(value)"
        }
    }
}

/// The undeliverable batches: a line for each object, with the batch's key and the last failure.
final class DeadLetters: Sendable {
    private let path: String
    private let calls: DiskCalls
    private let work = DispatchQueue(label: "freehold.server.dead-letters")

    init(_ path: String, calls: DiskCalls) {
        self.path = path
        self.calls = calls
    }

    func write(_ batch: IngestBatch, because reason: String, _ format: ExtendedJSONFormat) async throws {
        var bytes: [UInt8] = []
        for object in batch.objects {
            var line: BSONDocument = [
                "batch": .string(batch.key), "app": .string(batch.stream.app.string),
                "class": .string(batch.className.string),
            ]
            if let stream = batch.streamText { line.append("stream", .string(stream)) }
            line.append("reason", .string(reason))
            line.append("document", .document(object.document))
            bytes += try line.extendedJSON(format).utf8
            bytes.append(0x0A)
        }
        let lines = bytes
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            work.async { [path, calls] in
                continuation.resume(
                    with: Result {
                        let file = try DiskFile(path, calls: calls)
                        let size = try file.size()
                        // An incomplete line of an earlier write must not damage the next line.
                        let isWhole = try size == 0 || file.read(at: size - 1, count: 1) == [0x0A]
                        try file.write((isWhole ? [] : [0x0A]) + lines, at: size)
                        try file.sync()
                    }
                )
            }
        }
    }
}
