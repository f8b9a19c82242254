import FreeholdEngine

/// How far a migration has come: given to ``Realm/Configuration/migrationProgress``.
public struct MigrationProgress: Sendable, CustomStringConvertible {
    /// What is being done.
    public let step: MigrationStep
    /// How many of the step's objects are done.
    public let done: Int
    /// How many objects the step has; 0 where its cost doesn't depend on them.
    public var total: Int { step.objects }

    public var description: String { "\(step): \(done) of \(total)" }

    /// Objects between two reports.
    static let interval = 1000

    /// Calls the configuration's closure.
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

/// One thing that a migration does to the file: what, to which class and property, and how many objects are read or
/// written for it.
public typealias MigrationStep = SchemaStep
