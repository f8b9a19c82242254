import FreeholdEngine
import FreeholdSyncCore

/// Determines the stored names of a new version's classes and properties, and the problems of the push.
struct SchemaPusher {
    enum Mode {
        case add
        /// The newest version is extended.
        case grow
        /// The newest version is replaced.
        case replace
    }

    let before: SchemaVersions
    let old: SchemaVersion
    let transition: SchemaTransition
    let mode: Mode
    let stored: StoredTables
    var version: SchemaVersion
    var problems: [SchemaPushProblem] = []
    private(set) var steps: [VersionStep] = []

    static let anotherProperty = "Add a property of another name, fill it, then remove this one."
    static let anotherClass = "Add a class of another name, copy the objects, then remove this one."

    init(
        _ versions: SchemaVersions,
        _ tables: [TableSpec],
        _ number: UInt64,
        _ transition: SchemaTransition,
        _ mode: Mode
    ) {
        (before, old, self.transition, self.mode) = (versions, versions.newest, transition, mode)
        stored = StoredTables(versions)
        version = SchemaVersion(number: number, tables: tables, classes: [:], properties: [:])
    }

    mutating func run() {
        checkRenames()
        guard problems.isEmpty else { return }
        nameClasses()
        for table in version.tables { nameProperties(table) }
        for table in version.tables { fill(table) }
        checkOldFills()
        removals()
        steps.sort { ($0.className, $0.property ?? "") < ($1.className, $1.property ?? "") }
        guard mode == .grow else { return }
        for step in steps where step.kind != .added && step.kind != .back {
            problems.append(
                SchemaPushProblem(
                    step.className,
                    step.property,
                    reason: "It \(step.what): version \(old.number) can't change so under its apps.",
                    remedy: "Push it as a new version, with a number greater than \(old.number)."
                )
            )
        }
    }

    private mutating func note(
        _ kind: VersionStep.Kind,
        _ className: String,
        _ property: String? = nil,
        what: String
    ) {
        steps.append(VersionStep(kind, className, property, what: what))
    }

    // MARK: Renames

    private mutating func checkRenames() {
        for (from, to) in transition.classes.sorted(by: { $0.key < $1.key }) {
            if old.table(from) == nil {
                problems.append(.init(to, reason: "There is no class '\(from)' that could be called '\(to)' now."))
            } else if version.table(to) == nil {
                problems.append(.init(to, reason: "'\(from)' is to become '\(to)', which isn't among the new classes."))
            }
        }
        if Set(transition.classes.values).count < transition.classes.count {
            problems.append(
                .init("", reason: "Two classes are to get one name.", remedy: "Keep both, or copy the objects.")
            )
        }
        for (className, names) in transition.properties.sorted(by: { $0.key < $1.key }) {
            guard let new = version.table(className), let table = oldTable(of: className) else {
                problems.append(
                    .init(className, reason: "Properties of it are to be renamed, and it isn't in both versions.")
                )
                continue
            }
            for (from, to) in names.sorted(by: { $0.key < $1.key }) {
                if from == "_id" || to == "_id" {
                    problems.append(.init(className, to, reason: "'_id' can't be renamed."))
                } else if !table.columns.contains(where: { $0.name == from }) {
                    problems.append(
                        .init(
                            className,
                            to,
                            reason: "There is no '\(table.name).\(from)' that could be called '\(to)' now."
                        )
                    )
                } else if !new.columns.contains(where: { $0.name == to }) {
                    problems.append(
                        .init(className, from, reason: "It is to become '\(to)', which isn't among the new properties.")
                    )
                }
            }
            if Set(names.values).count < names.count {
                problems.append(.init(className, reason: "Two properties are to get one name."))
            }
        }
    }

    /// Returns the class of the previous version that became a new class.
    func oldTable(of className: String) -> TableSpec? {
        if let name = transition.classes.first(where: { $0.value == className })?.key { return old.table(name) }
        return transition.classes[className] == nil ? old.table(className) : nil
    }

    // MARK: Classes

    private mutating func nameClasses() {
        var open: [TableSpec] = []
        for table in version.tables {
            guard let oldTable = oldTable(of: table.name), let name = old.classes[oldTable.name] else {
                open.append(table)
                continue
            }
            if let reason = Self.difference(oldTable, table) {
                if mode == .replace {
                    open.append(table)
                } else {
                    problems.append(SchemaPushProblem(table.name, reason: reason, remedy: Self.anotherClass))
                }
                continue
            }
            version.classes[table.name] = name
            if oldTable.name != table.name { note(.renamed, table.name, what: "was called '\(oldTable.name)'") }
        }
        for table in open {
            if let back = back(table) {
                version.classes[table.name] = back
                note(.back, table.name, what: "exists again, with the objects that apps of earlier versions have")
                continue
            }
            let taken = stored.classes.map(\.name) + version.classes.values
            let name = Self.free(table.name, taken)
            version.classes[table.name] = name
            note(.added, table.name, what: "is new" + (name == table.name ? "" : ", and stored as '\(name)'"))
        }
    }

    /// Returns the stored class that had this name in an earlier version, if it is free and of the same kind.
    private func back(_ table: TableSpec) -> String? {
        for earlier in before.versions.reversed() {
            guard let other = earlier.table(table.name), let name = earlier.classes[other.name],
                !version.classes.values.contains(name), Self.difference(other, table) == nil
            else { continue }
            return name
        }
        return nil
    }

    /// Returns the reason why objects of one class can't be objects of the other.
    private static func difference(_ old: TableSpec, _ new: TableSpec) -> String? {
        if old.isEmbedded != new.isEmbedded {
            return new.isEmbedded ? "It became embedded." : "It isn't embedded any more."
        }
        if old.isAsymmetric != new.isAsymmetric {
            return new.isAsymmetric ? "Its objects are only sent now." : "Its objects aren't only sent any more."
        }
        guard let key = old.key, let other = new.key, key != other else { return nil }
        return "Its key '\(key.declaration)' became '\(other.declaration)'."
    }

    /// Returns a name that no stored class or property has, regardless of case.
    static func free(_ name: String, _ taken: [String]) -> String {
        let taken = Set(taken.map { $0.lowercased() })
        if !taken.contains(name.lowercased()) { return name }
        var number = 2
        while taken.contains("\(name)_\(number)".lowercased()) { number += 1 }
        return "\(name)_\(number)"
    }

    // MARK: Properties

    private mutating func nameProperties(_ table: TableSpec) {
        guard let storedName = version.classes[table.name] else { return }
        var names: [String: String] = [:]
        var open: [ColumnSpec] = []
        let oldTable = oldTable(of: table.name).flatMap { old.classes[$0.name] == storedName ? $0 : nil }
        let renames = transition.properties[table.name] ?? [:]
        for column in table.columns {
            let from = renames.first { $0.value == column.name }?.key
            let source = from ?? (renames[column.name] == nil ? column.name : nil)
            guard let oldTable, let source, let known = oldTable.columns.first(where: { $0.name == source }),
                let name = old.stored(oldTable.name, source)
            else {
                open.append(column)
                continue
            }
            if let problem = misfit(column, known, storedName, name, table) {
                if mode == .replace { open.append(column) } else { problems.append(problem) }
                continue
            }
            names[column.name] = name
            if source != column.name { note(.renamed, table.name, column.name, what: "was called '\(source)'") }
            noteDifference(known, column, table)
        }
        for column in open {
            let (name, kind) = newName(column, storedName, table, names)
            names[column.name] = name
            guard oldTable != nil else { continue }
            if kind == .back {
                note(.back, table.name, column.name, what: "exists again, with what apps of earlier versions wrote")
            } else {
                let place = name == column.name ? "" : ", and stored as '\(name)'"
                note(.added, table.name, column.name, what: "is new ('\(column.declaration)')" + place)
            }
        }
        version.properties[table.name] = names
    }

    private func newName(
        _ column: ColumnSpec,
        _ storedClass: String,
        _ table: TableSpec,
        _ names: [String: String]
    ) -> (String, VersionStep.Kind) {
        for earlier in before.versions.reversed() {
            guard let className = earlier.name(ofStored: storedClass), let other = earlier.table(className),
                let known = other.columns.first(where: { $0.name == column.name }),
                let name = earlier.stored(className, column.name), !names.values.contains(name),
                misfit(column, known, storedClass, name, table) == nil
            else { continue }
            return (name, .back)
        }
        let taken = (stored[storedClass]?.properties.map(\.column.name) ?? []) + names.values
        return (Self.free(column.name, taken), .added)
    }

    /// Returns the reason why a property can't be stored as an existing one.
    private func misfit(
        _ new: ColumnSpec,
        _ old: ColumnSpec,
        _ storedClass: String,
        _ storedName: String,
        _ table: TableSpec
    ) -> SchemaPushProblem? {
        func problem(_ reason: String, _ remedy: String = Self.anotherProperty) -> SchemaPushProblem {
            SchemaPushProblem(
                table.name,
                new.name,
                old: old.declaration,
                new: new.declaration,
                reason: reason,
                remedy: remedy
            )
        }
        guard let property = stored[storedClass]?[storedName] else { return nil }
        let there = property.column
        if new.collection != there.collection { return problem("It holds another kind of collection.") }
        if new.type == .link || there.type == .link {
            guard new.type == there.type else { return problem("It has another type.") }
            // If the class itself is the problem, the problem is reported for the class.
            guard let target = new.target.flatMap({ version.classes[$0] }) else { return nil }
            return target == there.target ? nil : problem("It leads to another class.")
        }
        guard NumberLens.widest(property.types.union([new.type])) != nil else {
            let isNumber = NumberLens.isNumber(new.type) && NumberLens.isNumber(there.type)
            let hint = isNumber ? "Numbers get wider from int to double or decimal, and from float to double. " : ""
            return problem("It has another type.", hint + Self.anotherProperty)
        }
        guard new.collection == .set, new.type != there.type else { return nil }
        return problem("Numbers of a set can't get another type: two of them could become one.")
    }

    private mutating func noteDifference(_ old: ColumnSpec, _ new: ColumnSpec, _ table: TableSpec) {
        if old.isOptional != new.isOptional {
            note(
                new.isOptional ? .optional : .required,
                table.name,
                new.name,
                what: new.isOptional
                    ? "is optional now: apps of earlier versions are shown a value where there is none"
                    : "is required now: apps are shown a value where there is none"
            )
        }
        guard old.type != new.type else { return }
        let isNarrow = NumberLens.widest([old.type, new.type]) != new.type
        let change = "('\(old.declaration)' became '\(new.declaration)')"
        note(
            isNarrow ? .narrowed : .widened,
            table.name,
            new.name,
            what: isNarrow
                ? "shows less than is stored \(change): fractions are cut off, or digits lost"
                : "holds more \(change): apps of earlier versions are shown the nearest that they can hold"
        )
    }

    // MARK: Removals

    private mutating func removals() {
        for table in old.tables {
            guard let name = old.classes[table.name] else { continue }
            guard let new = version.name(ofStored: name) else {
                note(.removed, table.name, what: "doesn't exist any more; it stays stored for apps of earlier versions")
                continue
            }
            let kept = Set((version.properties[new] ?? [:]).values)
            for column in table.columns {
                guard let stored = old.stored(table.name, column.name), !kept.contains(stored) else { continue }
                note(
                    .removed,
                    table.name,
                    column.name,
                    what: "doesn't exist any more; it stays stored for apps of earlier versions"
                )
            }
        }
    }
}

extension NumberLens {
    static func isNumber(_ type: ColumnType) -> Bool {
        switch type {
        case .int, .float, .double, .decimal128: true
        default: false
        }
    }
}
