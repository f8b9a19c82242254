/// How long to wait after failures: twice as long after each, up to a limit.
///
/// Each pause is shortened by up to a half at random. Otherwise, all who failed together would come back together.
public struct IngestBackoff: Sendable {
    public var first: Duration
    public var greatest: Duration
    /// The longest pause that a receiver may ask for.
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
    ///   - failures: how many there were in a row.
    ///   - asked: the pause that the receiver asked for; the result isn't shorter, unless it is more than `greatestAsked`.
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
