/// A step, and what its objects held before and after it: made once, for all the views that ask.
struct StepContents: Sendable {
    typealias Contents = [SyncString: MergedContent]

    struct Object: Sendable {
        let step: ObjectStep
        /// Nil if it wasn't there.
        let before: Contents?
        /// Nil if it isn't there any more.
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
