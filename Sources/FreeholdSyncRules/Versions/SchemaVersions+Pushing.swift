public import FreeholdEngine
import FreeholdSyncCore

extension SchemaVersions {
    /// Returns the versions with a new one, for apps whose `schemaVersion` is its number or greater.
    ///
    /// A lens can translate these changes: renamed, removed and added classes and properties, optional to required and
    /// back, and numbers that become wider (int to double or decimal, float to double) and back. A new class or
    /// property with the name of a removed one is the removed one again if the declarations fit. Otherwise it is stored
    /// beside it.
    ///
    /// With the number of the newest version, that version is extended. Then only additions are accepted.
    ///
    /// - Parameters:
    ///   - tables: All classes of the new version.
    ///   - transition: The changed names, and the values that apps are shown in the place of missing ones.
    /// - Throws: `SchemaPushError` with all changes that a lens can't translate. Then nothing is changed.
    /// - Complexity: O(size of all versions)
    public func pushing(
        _ tables: [TableSpec],
        as number: UInt64,
        _ transition: SchemaTransition = SchemaTransition(),
        limits: RuleLimits = RuleLimits()
    ) throws(SchemaPushError) -> SchemaPush {
        if number < newest.number {
            throw SchemaPushError(
                problems: [
                    SchemaPushProblem(
                        "",
                        reason: "There is a version \(newest.number) already, and numbers of versions rise.",
                        remedy: "Give the new one a greater number, and apps that have it the same 'schemaVersion'."
                    )
                ]
            )
        }
        return try push(tables, number, transition, number == newest.number ? .grow : .add, limits)
    }

    /// Returns the versions with other classes in the newest version. Apps of the newest version with different classes
    /// are refused from then on. The data of other versions is kept.
    ///
    /// - Throws: `SchemaPushError` for classes that can't be synced.
    public func replacingNewest(
        with tables: [TableSpec],
        _ transition: SchemaTransition = SchemaTransition(),
        limits: RuleLimits = RuleLimits()
    ) throws(SchemaPushError) -> SchemaPush {
        let push = try push(tables, newest.number, transition, .replace, limits)
        guard versions.count == 1, transition == SchemaTransition(), newest.isOwn else { return push }
        // There is no other version with names for the stored data, so each class is stored under its own name.
        return SchemaPush(versions: SchemaVersions(unchecked: tables, number: newest.number), steps: push.steps)
    }

    private func push(
        _ tables: [TableSpec],
        _ number: UInt64,
        _ transition: SchemaTransition,
        _ mode: SchemaPusher.Mode,
        _ limits: RuleLimits
    ) throws(SchemaPushError) -> SchemaPush {
        do throws(RuleError) { try SchemaCheck.check(tables, limits: limits) } catch {
            throw SchemaPushError(error)
        }
        guard mode != .add || versions.count < limits.count else {
            throw SchemaPushError(
                problems: [SchemaPushProblem("", reason: "There are \(versions.count) versions already.")]
            )
        }
        var pusher = SchemaPusher(self, tables.map(\.synced), number, transition, mode)
        pusher.run()
        guard pusher.problems.isEmpty else { throw SchemaPushError(problems: pusher.problems.sorted()) }
        var new = self
        if mode != .add { new.versions.removeLast() }
        new.versions.append(pusher.version)
        new.setFills(transition.oldFills, as: newest, before: mode == .add ? versions.count : 0)
        do throws(RuleError) { try SchemaCheck.check(new.storage, limits: limits) } catch {
            throw SchemaPushError(error)
        }
        return SchemaPush(versions: new, steps: pusher.steps)
    }

    /// Sets the fills of earlier versions.
    ///
    /// - Parameters:
    ///   - fills: The fills, by the names of a version.
    ///   - count: The number of versions that receive them.
    private mutating func setFills(
        _ fills: [String: [String: SyncValue]],
        as named: SchemaVersion,
        before count: Int
    ) {
        for (className, values) in fills {
            for (property, value) in values {
                guard let stored = named.stored(className, property), let storedClass = named.classes[className] else {
                    continue
                }
                for index in 0..<count { versions[index].setFill(value, storedClass, stored) }
            }
        }
    }
}

extension SchemaVersion {
    /// Sets the fill of a stored property, if the property is required in this version and has no fill yet.
    fileprivate mutating func setFill(_ value: SyncValue, _ storedClass: String, _ stored: String) {
        guard let className = name(ofStored: storedClass), let table = table(className),
            let property = properties[className]?.first(where: { $0.value == stored })?.key,
            let column = table.columns.first(where: { $0.name == property }), column.canHaveFill,
            fills[className]?[property] == nil, let value = value.carried(to: column.type)
        else { return }
        fills[className, default: [:]][property] = value
    }
}

extension SchemaPushError {
    init(_ error: RuleError) {
        self.init(
            problems: [
                SchemaPushProblem(
                    error.path.first ?? "",
                    error.path.count > 1 ? error.path[1...].joined(separator: ".") : nil,
                    reason: error.reason
                )
            ]
        )
    }
}

extension ColumnSpec {
    /// A Boolean value that indicates whether the property can have a fill.
    var canHaveFill: Bool { !isOptional && collection == .none && type != .link && type != .mixed }
}
