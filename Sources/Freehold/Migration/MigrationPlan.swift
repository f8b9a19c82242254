import Foundation
import FreeholdEngine

/// What opening a file with a configuration would do to it, found out without changing it.
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
        /// The file fits.
        case nothing
        /// There is no file yet, or an empty one.
        case create
        /// Classes, indexes, in the additive mode properties are added.
        case addition
        case migration
        /// Everything in the file would be deleted: see ``Realm/Configuration/deleteRealmIfMigrationNeeded``.
        case reset
        /// Opening would throw this.
        case refusal(Realm.Error)
    }

    public let action: Action
    /// The file's schema version; nil where there is none yet.
    public let oldVersion: UInt64?
    public let newVersion: UInt64
    /// In the order in which they are done.
    public let steps: [MigrationStep]

    /// How many objects all steps together read or write; what the migration block itself does is counted as each object
    /// of the file once.
    public var objects: Int { steps.reduce(0) { $0 + $1.objects } }

    /// Whether opening would migrate or delete.
    public var isMigrationNeeded: Bool { action == .migration || action == .reset }

    init(action: Action, oldVersion: UInt64?, newVersion: UInt64, steps: [MigrationStep] = []) {
        self.action = action
        self.oldVersion = oldVersion
        self.newVersion = newVersion
        self.steps = steps
    }

    init(_ configuration: Realm.Configuration, _ schema: Schema, _ view: DataView) throws {
        let specs = schema.tableSpecs(configuration.textMatching)
        let plan = try SchemaPlan(specs, against: view.schema)
        let kept = view.schema.tables.filter { table in !specs.contains { $0.name == table.name } }
        newVersion = configuration.schemaVersion
        let new = plan.newColumns(in: view.schema)
        let all = plan.steps(in: view).map { step in
            // Default values have to be written.
            guard
                let added = new.first(where: {
                    $0.kind == step.kind && $0.table.name == step.className && $0.spec.name == step.property
                }), DefaultValues(schema, className: step.className, added.spec) != nil
            else { return step }
            return MigrationStep(step.kind, step.className, step.property, objects: view.count(added.table))
        }
        let isNew = view.schema.tables.isEmpty
        oldVersion = isNew ? nil : view.userVersion
        do {
            switch try SchemaAction(configuration, specs, view) {
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
    /// What `apply` and `extend` would throw.
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
