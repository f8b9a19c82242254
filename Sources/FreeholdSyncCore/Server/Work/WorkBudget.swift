/// The number of steps that a piece of work may still take.
///
/// A step is about a comparison of two numbers, or a read of 64 bytes of a text: about 20 to 60 nanoseconds. Steps are
/// counted and not measured, so that the same work has the same result on each machine.
///
///     var budget = WorkBudget(steps: 1_000)
///     for element in elements {
///         guard budget.charge() else { break }
///         …
///     }
///     if budget.isOver { … }
public struct WorkBudget: Hashable, Sendable {
    /// The number of steps that are left. Negative if the budget is exceeded.
    public private(set) var left: Int

    /// A budget that no work exceeds.
    public static let unlimited = WorkBudget(steps: .max)

    /// - Precondition: `steps` isn't negative.
    public init(steps: Int) {
        precondition(steps >= 0, "A budget isn't negative.")
        left = steps
    }

    /// A Boolean value that indicates whether the work needed more steps than the budget allows.
    public var isOver: Bool { left < 0 }

    /// Subtracts steps from the budget.
    /// - Returns: `false` if the budget is exceeded. The caller must then end the work.
    /// - Complexity: O(1)
    @inlinable
    @discardableResult
    public mutating func charge(_ steps: Int = 1) -> Bool {
        // An exceeded budget isn't reduced further, so the number doesn't overflow.
        guard left >= 0 else { return false }
        take(steps)
        return left >= 0
    }

    /// Subtracts the steps that are needed to read a number of bytes once.
    @discardableResult
    public mutating func charge(bytes: Int) -> Bool { charge(1 + bytes >> 6) }

    @usableFromInline
    mutating func take(_ steps: Int) { left = max(left &- steps, -1) }
}

/// The error of work that exceeds its budget.
public struct WorkExceeded: Error, Hashable, Sendable {
    public init() {}
}
