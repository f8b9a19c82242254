#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
internal import FreeholdEngine
public import FreeholdSyncCore

extension FileNames {
    /// Reads the names of the app's classes in a file.
    init(of view: DataView) {
        let classes = view.schema.tables.map { table in
            let properties = table.columns.map { column in
                Property(id: column.id, name: SyncString(column.name), target: column.targetTableID)
            }
            return Class(
                id: table.id,
                name: SyncString(table.name),
                isEmbedded: table.isEmbedded,
                properties: properties
            )
        }
        self.init(version: view.userVersion, classes: classes.sorted { $0.id < $1.id })
    }
}

/// The renaming of classes and properties by a migration of the app.
///
/// The data of sync uses the present names. Commits are sent with the names of the schema version under which they were
/// made, and with the number of that version. The server translates these names.
extension FileClientTransaction {
    private static let row = "names"
    /// The maximum number of schema versions whose names are stored. The names of older versions are removed.
    private static let greatestCount = 32

    private func names() throws -> [FileNames] {
        guard let row = write.find(primaryKey: .string(Self.row), in: tables.values) else { return [] }
        return try KeptBody.decode(row, of: tables.values, in: write, KeptBytes.names)
    }

    /// Sentences about the effects of a migration.
    struct Ended {
        /// Sentences about subscriptions whose classes or properties were removed.
        var subscriptions: [String] = []
        /// Sentences about work on properties whose new types can't store it.
        var work: [String] = []
    }

    /// Renames the data of sync after a migration.
    mutating func followNames() throws -> Ended {
        let now = FileNames(of: write)
        var all = try names()
        var ended = Ended()
        guard all.last != now else { return ended }
        if let last = all.last {
            let changes = NameChanges(from: last, to: now)
            if !changes.isEmpty { try rename(changes) }
            let queries = QueryNameChanges(from: last, to: now)
            ended.subscriptions = try SubscriptionRows.rename(in: write) { queries.renamed($0) }
            if !changes.isEmpty || !ended.subscriptions.isEmpty {
                state = changes.state(state) { queries.renamed($0) }
            }
            try forgetMissingClasses()
            ended.work = try showRetyped(now.properties(leadingTo: changes.retyped))
        }
        all.removeAll { $0.version == now.version }
        all = all.suffix(Self.greatestCount - 1) + [now]
        try put(KeptBytes.of(all), tables.values, .string(Self.row))
        return ended
    }

    /// Shows the pending work on properties whose type has changed.
    ///
    /// - Returns: Sentences about the properties whose new types can't store the work.
    private mutating func showRetyped(_ properties: [SyncString: Set<SyncString>]) throws -> [String] {
        guard !properties.isEmpty else { return [] }
        let (applier, tables) = (applier, tables)
        let misfits = try showRetyped(properties) { content, className, property in
            guard let column = tables.classes[className]?.table.column(named: property.string) else { return false }
            return applier.holds(content, column)
        }
        return misfits.sorted { $0.key < $1.key }.flatMap { className, properties in
            properties.sorted().map { property in
                "Unsent work on '\(className).\(property)' doesn't fit the type that the migration gave the property, and isn't shown any more. "
                    + "It is kept with the file's lost work. The server gets it for apps of the earlier version."
            }
        }
    }

    private mutating func rename(_ changes: NameChanges) throws {
        let rows = write.keys(tables.shadows)
        for row in rows {
            let bytes = try KeptBody.bytes(row, of: tables.shadows, in: write)
            let name = try KeptBody.decode(bytes, KeptBytes.name)
            let shadow = try KeptBody.decode(bytes, KeptBytes.shadow)
            cache.shadows[changes.object(name)] = Cache.Entry(shadow: changes.shadow(shadow, of: name), isChanged: true)
        }
        write.delete(tables.shadows, rows)
        cache.shadowCount = 0
        var number = state.firstKept
        while number <= state.lastCommit {
            if let commit = try commit(number) { try put(changes.commit(commit)) }
            number += 1
        }
        for row in write.keys(tables.lost) {
            let lost = try KeptBody.decode(row, of: tables.lost, in: write, KeptBytes.lost)
            try KeptBody.set(KeptBytes.of(changes.lost(lost)), row, of: tables.lost, in: write)
        }
        for row in write.keys(tables.sums) {
            guard case .string(let name) = write.value(tables.sums.columns[0], row),
                case .int(let count) = write.value(tables.sums.columns[1], row),
                case .int(let sum) = write.value(tables.sums.columns[2], row)
            else { continue }
            let className = changes.className(SyncString(name))
            cache.sums[className] = ClassChecksum(
                className: className,
                count: UInt64(bitPattern: count),
                sum: UInt64(bitPattern: sum)
            )
            cache.changedSums.insert(className)
            write.delete(tables.sums, row)
        }
    }

    /// Removes the checksums of removed classes.
    private mutating func forgetMissingClasses() throws {
        for row in write.keys(tables.sums) {
            guard case .string(let name) = write.value(tables.sums.columns[0], row),
                tables.classes[SyncString(name)] == nil
            else { continue }
            write.delete(tables.sums, row)
        }
        for name in cache.changedSums where tables.classes[name] == nil {
            cache.changedSums.remove(name)
            cache.sums[name] = nil
        }
    }

    public func names(of schemaVersion: UInt64) throws -> NameChanges? {
        guard schemaVersion != write.userVersion else { return nil }
        let all = try names()
        guard let now = all.last, let then = all.last(where: { $0.version <= schemaVersion }),
            then.version != now.version
        else { return nil }
        let changes = NameChanges(from: now, to: then)
        return changes.isEmpty ? nil : changes
    }
}

/// Replaces the names of classes and properties in queries by the present ones.
struct QueryNameChanges {
    private let old: FileNames
    private let new: FileNames

    init(from old: FileNames, to new: FileNames) { (self.old, self.new) = (old, new) }

    /// The error of a query that names a removed class or property.
    private struct Gone: Error {}

    /// Returns the query with the present names. Returns `nil` if a class or property of the query was removed.
    func renamed(_ query: ClassQuery) -> ClassQuery? {
        guard let table = old.named(query.className) else { return query }
        guard let target = new.numbered(table.id) else { return nil }
        guard let written = try? QueryParser.parse(query.condition.string) else {
            return ClassQuery(className: target.name, condition: query.condition)
        }
        do {
            var isChanged = false
            let condition = try renamed(written.condition, table, isChanged: &isChanged)
            let text = isChanged ? SyncString(QueryPrinter.text(condition) { _ in nil }) : query.condition
            return ClassQuery(className: target.name, condition: text)
        } catch { return nil }
    }

    private func renamed(_ condition: Condition, _ owner: FileNames.Class, isChanged: inout Bool) throws -> Condition {
        switch condition {
        case .truth: return condition
        case .not(let inner): return .not(try renamed(inner, owner, isChanged: &isChanged))
        case .and(let parts, _): return .and(try parts.map { try renamed($0, owner, isChanged: &isChanged) })
        case .or(let parts, _): return .or(try parts.map { try renamed($0, owner, isChanged: &isChanged) })
        case .compare(let a, let relation, let b, let options):
            return .compare(
                try renamed(a, owner, isChanged: &isChanged),
                relation,
                try renamed(b, owner, isChanged: &isChanged),
                options
            )
        case .between(let term, let lower, let upper, let isClosed):
            return .between(
                try renamed(term, owner, isChanged: &isChanged),
                lower: lower,
                upper: upper,
                isClosed: isClosed
            )
        case .fullText(let path, let words):
            return .fullText(try renamed(path, owner, isChanged: &isChanged).path, words)
        case .within(let path, let shape): return .within(try renamed(path, owner, isChanged: &isChanged).path, shape)
        case .term(let term): return .term(try renamed(term, owner, isChanged: &isChanged))
        }
    }

    private func renamed(_ term: Term, _ owner: FileNames.Class, isChanged: inout Bool) throws -> Term {
        switch term {
        case .constant(let constant): return .constant(try renamed(constant, isChanged: &isChanged))
        case .path(let path): return .path(try renamed(path, owner, isChanged: &isChanged).path)
        case .subquery(let path, let variable, let condition):
            let found = try renamed(path, owner, isChanged: &isChanged)
            guard let inner = found.owner else { return term }
            return .subquery(found.path, variable: variable, try renamed(condition, inner, isChanged: &isChanged))
        case .arithmetic(let sign, let a, let b):
            return .arithmetic(
                sign,
                try renamed(a, owner, isChanged: &isChanged),
                try renamed(b, owner, isChanged: &isChanged)
            )
        }
    }

    private func renamed(_ constant: Constant, isChanged: inout Bool) throws -> Constant {
        switch constant {
        case .objectWithPrimaryKey(let className, let key):
            let found = try target(className)
            if found.string != className { isChanged = true }
            return .objectWithPrimaryKey(className: found.string, key)
        case .list(let constants, let quantifier):
            return .list(try constants.map { try renamed($0, isChanged: &isChanged) }, quantifier)
        case .value, .number, .argument, .object, .shape: return constant
        }
    }

    private func target(_ className: String) throws -> SyncString {
        guard let table = old.named(SyncString(className)) else { return SyncString(className) }
        guard let found = new.numbered(table.id) else { throw Gone() }
        return found.name
    }

    private func renamed(
        _ path: NamedPath,
        _ owner: FileNames.Class,
        isChanged: inout Bool
    ) throws -> (path: NamedPath, owner: FileNames.Class?) {
        var path = path
        var current: FileNames.Class? = owner
        for (index, step) in path.steps.enumerated() {
            switch step {
            case .place: break
            case .name(let name):
                // A name that isn't a property of the class is an operation, or a key in a mixed value.
                guard let property = current?.properties.first(where: { $0.name.string == name }) else {
                    current = nil
                    continue
                }
                guard
                    let found = current.flatMap({ new.numbered($0.id) })?.properties.first(where: {
                        $0.id == property.id
                    })
                else { throw Gone() }
                if found.name != property.name { isChanged = true }
                path.steps[index] = .name(found.name.string)
                current = property.target.flatMap { old.numbered($0) }
            case .links(let className, let name):
                guard let table = old.named(SyncString(className)) else {
                    current = nil
                    continue
                }
                guard let found = new.numbered(table.id),
                    let property = table.properties.first(where: { $0.name.string == name }),
                    let renamed = found.properties.first(where: { $0.id == property.id })
                else { throw Gone() }
                if found.name != table.name || renamed.name != property.name { isChanged = true }
                path.steps[index] = .links(className: found.name.string, property: renamed.name.string)
                current = table
            }
        }
        return (path, current)
    }
}
