import FreeholdEngine

/// The progress of a migration, as reported to ``Realm/Configuration/migrationProgress``.
public struct MigrationProgress: Sendable, CustomStringConvertible {
    /// The current step.
    public let step: MigrationStep
    /// The number of processed objects of the step.
    public let done: Int
    /// The number of objects of the step. It is 0 if the cost of the step doesn't depend on them.
    public var total: Int { step.objects }

    public var description: String { "\(step): \(done) of \(total)" }

    /// The number of objects between two reports.
    static let interval = 1000

    /// The object that calls the configuration's closure.
    final class Meter {
        private let report: (@Sendable (MigrationProgress) -> Void)?
        private var step: MigrationStep?

        init(_ configuration: Realm.Configuration) { report = configuration.migrationProgress }

        func begin(_ step: MigrationStep) { self.step = step }

        func report(_ done: Int) {
            if let report, let step { report(MigrationProgress(step: step, done: done)) }
        }

        func report(_ step: MigrationStep, _ done: Int) {
            begin(step)
            report(done)
        }
    }
}

/// One step of a migration: the kind of the change, its class and property, and the number of objects that it reads or
/// writes.
public typealias MigrationStep = SchemaStep
