public import FreeholdEngine
import FreeholdSyncCore

extension SchemaVersions {
    /// The versions with a new one, for apps whose `schemaVersion` is the number or a greater one.
    ///
    /// These can be lenses: renamed, removed and added classes and properties; optional to required and back; numbers that get wider (int to
    /// double or decimal, float to double) and back. A class or property of a name that was removed is the old one again if the
    /// declarations fit, else a new one beside it.
    ///
    /// With the number of the newest version that version grows: nothing but additions is taken.
    ///
    /// - Parameters:
    ///   - tables: all classes of the new version.
    ///   - transition: what became of names, and what apps are shown where nothing is stored.
    /// - Throws: `SchemaPushError` with everything that can't be a lens. Then nothing is changed.
    /// - Complexity: O(size of all versions).
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

    /// The versions with other classes in the newest one, whatever becomes of its apps: those that have something else are refused from now
    /// on. What other versions have stays stored.
    ///
    /// - Throws: `SchemaPushError` for classes that can't be synced.
    public func replacingNewest(
        with tables: [TableSpec],
        _ transition: SchemaTransition = SchemaTransition(),
        limits: RuleLimits = RuleLimits()
    ) throws(SchemaPushError) -> SchemaPush {
        let push = try push(tables, newest.number, transition, .replace, limits)
        guard versions.count == 1, transition == SchemaTransition(), newest.isOwn else { return push }
        // Nobody else has names for what is stored: it stays under its own.
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

    /// What apps of earlier versions are shown.
    ///
    /// - Parameters:
    ///   - fills: by a version's names.
    ///   - count: of the versions that get them.
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
    /// Says what the version's apps are shown of a stored property, if it is required there and nothing is said yet.
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
    /// Whether apps can be shown a value of their own where nothing is stored.
    var canHaveFill: Bool { !isOptional && collection == .none && type != .link && type != .mixed }
}
