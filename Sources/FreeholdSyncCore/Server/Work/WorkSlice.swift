/// The steps that work may take until it is interrupted.
struct WorkSlice: Sendable {
    private(set) var left: Int
    /// The steps that one object may take.
    private let objectSteps: Int
    /// A Boolean value that indicates whether the next piece may begin, however many steps are left.
    private var isFresh: Bool

    init(steps: Int, objectSteps: Int) { (left, self.objectSteps, isFresh) = (steps, objectSteps, true) }

    /// A slice on the machine's own thread: what takes more than the steps that are left waits for another slice.
    init(inline steps: Int, objectSteps: Int) { (left, self.objectSteps, isFresh) = (steps, objectSteps, false) }

    /// Does the work on one object.
    ///
    /// If it is interrupted, the same is due in the next slice. So the body changes nothing.
    ///
    /// - Parameter body: gets the steps that it may take. If it needs more than an object may take, its result counts all the same.
    /// - Returns: nil if it was interrupted.
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
        // Something is done for each object, whatever its condition costs.
        charge(most - max(budget.left, 0) + 4)
        return result
    }

    /// Takes steps for a piece of work that can't be interrupted.
    ///
    /// - Returns: false if the piece has to wait for the next slice.
    mutating func begin(_ steps: Int) -> Bool {
        guard isFresh || steps <= left else { return false }
        isFresh = false
        charge(steps)
        return true
    }

    /// Takes steps that were needed beside objects.
    mutating func charge(_ steps: Int) { left = steps < left ? left - steps : 0 }
}
