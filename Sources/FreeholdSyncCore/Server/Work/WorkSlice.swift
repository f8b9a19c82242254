/// The number of steps that a piece of work may execute before it is interrupted.
struct WorkSlice: Sendable {
    private(set) var left: Int
    /// The maximum number of steps for one object.
    private let objectSteps: Int
    /// A Boolean value that indicates whether the next piece of work may begin regardless of the steps that are left.
    private var isFresh: Bool

    init(steps: Int, objectSteps: Int) { (left, self.objectSteps, isFresh) = (steps, objectSteps, true) }

    /// Creates a slice on the machine's own thread. Work that needs more than the steps that are left waits for another
    /// slice.
    init(inline steps: Int, objectSteps: Int) { (left, self.objectSteps, isFresh) = (steps, objectSteps, false) }

    /// Executes the work on one object.
    ///
    /// If the work is interrupted, the next slice repeats it. The closure must therefore change nothing.
    ///
    /// - Parameter body: A closure that receives the steps that it may take. If it exceeds the maximum for one object,
    ///   its result is used nevertheless.
    /// - Returns: The result, or `nil` if the work was interrupted.
    mutating func measure<Result>(_ body: (inout WorkBudget) -> Result) -> Result? {
        guard isFresh || left > 0 else { return nil }
        let most = isFresh ? objectSteps : min(left, objectSteps)
        var budget = WorkBudget(steps: most)
        let result = body(&budget)
        guard !budget.isOver || most == objectSteps else {
            left = 0
            return nil
        }
        isFresh = false
        // Each object costs some steps in addition to its condition.
        charge(most - max(budget.left, 0) + 4)
        return result
    }

    /// Subtracts steps for a piece of work that can't be interrupted.
    ///
    /// - Returns: `false` if the piece has to wait for the next slice.
    mutating func begin(_ steps: Int) -> Bool {
        guard isFresh || steps <= left else { return false }
        isFresh = false
        charge(steps)
        return true
    }

    /// Subtracts steps for work other than that on objects.
    mutating func charge(_ steps: Int) { left = steps < left ? left - steps : 0 }
}
