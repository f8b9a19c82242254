/// The number of a piece of a machine's work. Numbers aren't used again.
public typealias WorkNumber = UInt64

/// Long work of a machine. The caller executes it outside of the machine, in slices that alternate with the work of
/// other users.
///
///     while true {
///         if let result = work.runSlice() { return .worked(number, result) }
///     }
/// The result doesn't depend on the number of interruptions.
public struct ServerWork: Sendable {
    /// The user that causes the work. The pieces of one user's work run in their order.
    public let user: SyncString
    private var body: any SlicedWork
    private let objectSteps: Int

    /// The number of steps of a slice. A slice takes up to about 5 milliseconds.
    public static let sliceSteps = 100_000

    init(user: SyncString, _ body: any SlicedWork, objectSteps: Int) {
        (self.user, self.body, self.objectSteps) = (user, body, objectSteps)
    }

    /// Executes a part of the work.
    ///
    /// - Returns: The result, or `nil` if the work isn't finished.
    public mutating func runSlice() -> ServerWorkResult? {
        var slice = WorkSlice(steps: Self.sliceSteps, objectSteps: objectSteps)
        return body.run(&slice)
    }

    /// Executes the whole work.
    public mutating func finish() -> ServerWorkResult {
        while true { if let result = runSlice() { return result } }
    }
}

/// The result of a `ServerWork`, for the machine that requested it.
public enum ServerWorkResult: Sendable {
    case page(PageWork)
    case step(StepWork)
    case fetch(FetchWork)
    case views(ViewsWork)
    case group(GroupWork)
    case nothing
}

/// Work that can be interrupted between two objects.
protocol SlicedWork: Sendable {
    /// Executes a part of the work.
    ///
    /// - Returns: The result, or `nil` if the work isn't finished.
    mutating func run(_ slice: inout WorkSlice) -> ServerWorkResult?
}
