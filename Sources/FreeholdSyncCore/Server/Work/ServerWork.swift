/// Names a piece of work of a machine. Numbers aren't used again.
public typealias WorkNumber = UInt64

/// Work of a machine that takes long: it is done elsewhere, slice by slice, in turns with the work of other users.
///
///     while true {
///         if let result = work.runSlice() { return .worked(number, result) }
///     }
///
/// The result depends on nothing but the work, however often it was interrupted.
public struct ServerWork: Sendable {
    /// The user that causes the work. The work of one user runs in its order.
    public let user: SyncString
    private var body: any SlicedWork
    private let objectSteps: Int

    /// The steps of a slice: up to about 5 milliseconds.
    public static let sliceSteps = 100_000

    init(user: SyncString, _ body: any SlicedWork, objectSteps: Int) {
        (self.user, self.body, self.objectSteps) = (user, body, objectSteps)
    }

    /// Does a part of the work.
    ///
    /// - Returns: the result; `nil` if the work isn't finished.
    public mutating func runSlice() -> ServerWorkResult? {
        var slice = WorkSlice(steps: Self.sliceSteps, objectSteps: objectSteps)
        return body.run(&slice)
    }

    /// Does the whole work.
    public mutating func finish() -> ServerWorkResult {
        while true { if let result = runSlice() { return result } }
    }
}

/// What came of a `ServerWork`. The machine that wanted it done understands it.
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
    /// Does a part of the work.
    ///
    /// - Returns: the result; `nil` if the work isn't finished.
    mutating func run(_ slice: inout WorkSlice) -> ServerWorkResult?
}
