/// Waits until a condition is true, without blocking a thread.
///
/// If hundreds of tests share two threads, a task runs late. Neither a time alone nor a number of checks alone then
/// shows that the condition stays false. This function gives up after both a minute and 3,000 checks.
///
/// - Returns: A Boolean value that indicates whether the condition became true.
public func eventually(
    isolation: isolated (any Actor)? = #isolation,
    _ condition: () async throws -> Bool
) async throws -> Bool {
    let end = ContinuousClock.now + .seconds(60)
    var looks = 0
    while try await !condition() {
        looks += 1
        if looks >= 3000, ContinuousClock.now > end { return false }
        try await Task.sleep(for: .milliseconds(2))
    }
    return true
}

/// The condition of a wait stayed false. The rest of the test depends on it.
public struct NeverCame: Error, CustomStringConvertible {
    public let description: String

    public init(_ came: Any) { description = "Only \(came) came" }
}
