import Foundation
import FreeholdEngine

/// A description of the changes that opening a file with a configuration would make. The file isn't changed.
///
/// ```swift
/// let plan = try Realm.migrationPlan(for: configuration)
/// print(plan)
/// // migrate from schema version 1 to 2, 120000 objects in steps:
/// // - add property 'Person.fullName'
/// // - make 'Person.age' optional (40000 objects)
/// // - run the migration block (80000 objects)
/// ```
public struct MigrationPlan: Sendable {
    public enum Action: Sendable, Equatable {
        /// No change. The file fits the classes.
        case nothing
        /// The file doesn't exist yet, or is empty.
        case create
        /// Classes and indexes are added, and in the additive mode also properties.
        case addition
        case migration
        /// All data of the file would be deleted. See ``Realm/Configuration/deleteRealmIfMigrationNeeded``.
        case reset
        /// Opening would throw this error.
        case refusal(Realm.Error)
    }

    public let action: Action
    /// The schema version of the file, or `nil` if the file doesn't exist yet.
    public let oldVersion: UInt64?
    public let newVersion: UInt64
    /// The steps in the order of their execution.
    public let steps: [MigrationStep]

    /// The number of objects that all steps read or write. The migration block counts as one access to each object of
    /// the file.
    public var objects: Int { steps.reduce(0) { $0 + $1.objects } }

    /// A Boolean value that indicates whether opening would migrate the file or delete its data.
    public var isMigrationNeeded: Bool { action == .migration || action == .reset }

    init(action: Action, oldVersion: UInt64?, newVersion: UInt64, steps: [MigrationStep] = []) {
        self.action = action
        self.oldVersion = oldVersion
        self.newVersion = newVersion
        self.steps = steps
    }

    init(_ configuration: Realm.Configuration, _ schema: Schema, in view: DataView) throws {
        let specs = schema.tableSpecs(configuration.textMatching)
        let plan = try SchemaPlan(specs, against: view.schema)
        let kept = view.schema.tables.filter { table in !specs.contains { $0.name == table.name } }
        newVersion = configuration.schemaVersion
        let new = plan.newColumns(in: view.schema)
        let all = plan.steps(in: view).map { step in
            // The default values have to be written.
            guard
                let added = new.first(where: {
                    $0.kind == step.kind && $0.table.name == step.className && $0.spec.name == step.property
                }), DefaultValues(schema, className: step.className, added.spec) != nil
            else { return step }
            return MigrationStep(step.kind, step.className, property: step.property, objects: view.count(added.table))
        }
        let isNew = view.schema.tables.isEmpty
        oldVersion = isNew ? nil : view.userVersion
        do {
            switch try SchemaAction(configuration, specs, stored: view) {
            case .nothing:
                action = .nothing
                steps = []
            case .apply, .extend:
                action = isNew ? .create : plan.differencesRefusal(configuration).map { .refusal($0) } ?? .addition
                steps = all
            case .migrate:
                action = .migration
                let objects = view.schema.tables.reduce(0) { $0 + view.count($1) }
                let block = configuration.migrationBlock.map { _ in MigrationStep(.runBlock, "", objects: objects) }
                steps = all + (block.map { [$0] } ?? []) + kept.map { MigrationStep(.keepClass, $0.name) }
            case .reset:
                action = .reset
                steps = view.schema.tables.map { MigrationStep(.removeClass, $0.name, objects: view.count($0)) }
            }
        } catch let error as Realm.Error {
            action = .refusal(error)
            steps = all
        }
    }
}

extension SchemaPlan {
    /// Returns the error that `apply` and `extend` would throw.
    fileprivate func differencesRefusal(_ configuration: Realm.Configuration) -> Realm.Error? {
        do throws(EngineError) {
            if configuration.schemaMode == .additive {
                try checkAdditive(path: configuration.fileURL?.path ?? "")
            } else {
                try checkCompatible(path: configuration.fileURL?.path ?? "")
            }
            return nil
        } catch {
            return Realm.Error(error, fileURL: configuration.fileURL)
        }
    }
}

extension MigrationPlan: CustomStringConvertible {
    public var description: String {
        let old = oldVersion.map { "\($0)" } ?? "none"
        let head =
            switch action {
            case .nothing: "nothing to do: the file has schema version \(old) and fits"
            case .create: "make the file with schema version \(newVersion)"
            case .addition: "add what is new, at schema version \(newVersion)"
            case .migration: "migrate from schema version \(old) to \(newVersion)"
            case .reset: "delete everything of schema version \(old) and begin anew with \(newVersion)"
            case .refusal(let error): "opening would throw: \(error)"
            }
        if steps.isEmpty { return head }
        let count = objects == 0 ? "" : ", \(objects) objects in steps"
        return "\(head)\(count):\n" + steps.map { "- \($0)" }.joined(separator: "\n")
    }
}
