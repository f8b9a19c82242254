/// The pauses after failures: each is twice as long as the one before, up to a limit.
///
/// Each pause is shortened by up to one half at random. Otherwise, all senders that failed at the same time would try
/// again at the same time.
public struct IngestBackoff: Sendable {
    public var first: Duration
    public var greatest: Duration
    /// The longest pause that a receiver may request.
    public var greatestAsked: Duration

    public init(
        first: Duration = .milliseconds(500),
        greatest: Duration = .seconds(300),
        greatestAsked: Duration = .seconds(3_600)
    ) {
        self.first = first
        self.greatest = greatest
        self.greatestAsked = greatestAsked
    }

    /// - Parameters:
    ///   - failures: The number of consecutive failures.
    ///   - asked: The pause that the receiver requested. The result is at least that long, up to `greatestAsked`.
    func pause(after failures: Int, asked: Duration?) -> Duration {
        var random = SystemRandomNumberGenerator()
        return pause(after: failures, asked: asked, using: &random)
    }

    func pause(after failures: Int, asked: Duration?, using random: inout some RandomNumberGenerator) -> Duration {
        var pause = min(first, greatest)
        for _ in 1..<max(failures, 1) where pause < greatest { pause = min(pause * 2, greatest) }
        pause = pause * Double.random(in: 0.5...1, using: &random)
        guard let asked else { return pause }
        return max(pause, min(asked, greatestAsked))
    }
}
