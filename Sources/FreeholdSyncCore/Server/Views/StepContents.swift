/// A step, with the contents of its objects before and after it. They are computed once for all views.
struct StepContents: Sendable {
    typealias Contents = [SyncString: MergedContent]

    struct Object: Sendable {
        let step: ObjectStep
        /// The contents before the step. `nil` if the object didn't exist.
        let before: Contents?
        /// The contents after the step. `nil` if the object no longer exists.
        let after: Contents?
    }

    let step: StreamStep
    let objects: [Object]

    init(_ step: StreamStep) {
        self.step = step
        objects = step.objects.map { Object(step: $0, before: Self.alive($0.before), after: Self.alive($0.after)) }
    }

    private static func alive(_ object: MergedObject?) -> Contents? {
        object.flatMap { $0.isAlive ? $0.contents : nil }
    }
}
