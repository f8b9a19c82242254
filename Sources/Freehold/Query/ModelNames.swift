import FreeholdEngine

/// The names in queries, as the model classes define them.
struct ModelNames: QueryNames {
    let core: RealmCore

    func table(of cls: ManagedTable) -> Table { cls.table }
    func cls(named name: String) -> ManagedTable? { core.table(named: name) }
    func className(of cls: ManagedTable) -> String { cls.info.className }
    var classNames: [String] { core.classNames }
    func propertyNames(of cls: ManagedTable) -> [String] { cls.info.properties.map(\.name) }

    func object(withPrimaryKey primaryKey: Value, in table: Table) -> ObjectKey? {
        core.view.find(primaryKey: primaryKey, in: table)
    }

    func property(named name: String, of cls: ManagedTable) -> NamedProperty<ManagedTable>? {
        guard let index = cls.info.index(named: name) else { return nil }
        let property = cls.info.properties[index]
        let target = property.target == nil ? nil : cls.target(of: index)
        if let column = cls.columns[index] { return NamedProperty(.column(column), target: target) }
        return NamedProperty(.inverse(originColumn(property, cls)), target: target)
    }

    private func originColumn(_ property: PropertyInfo, _ table: ManagedTable) -> Column {
        let origin = table.target(of: property.index)
        guard let name = property.origin, let index = origin.info.index(named: name), let column = origin.columns[index]
        else {
            programmerError(
                "\(table.info.className).\(property.name) has no origin property \(property.origin ?? "") in class "
                    + "\(origin.info.className). Name a link or list of links in `originProperty:`."
            )
        }
        return column.asBacklinkColumn(to: table.table)
    }

    // MARK: Constants

    func plain(_ name: String, of cls: ManagedTable, _ argument: Any) -> (column: Column, value: Value)? {
        guard let value = PlainArgument.value(argument), let index = cls.info.index(named: name),
            let column = cls.columns[index],
            column.collection == .none, column.type == value.type, ValueLimits.fits(value)
        else { return nil }
        return (column, value)
    }

    func members(of argument: Any) throws(QueryError) -> MemberValues? { try MemberValues.of(argument) }

    func constant(
        _ argument: Any,
        for column: Column?,
        of target: ManagedTable?
    ) throws(QueryError) -> FreeholdEngine.Constant? {
        guard let value = PlainValue.unwrap(argument) else { return .value(.null) }
        if let value = value as? Value { return .value(value) }
        if let shape = value as? any _GeoShape { return .shape(shape._shape) }
        if column?.type == .mixed { return try mixed(value) }
        if let object = PlainValue.object(value) ?? (value as? any AnyProjection)?.root {
            try check(object)
            guard object._isManaged, !object.isInvalidated, object._table?.table.id == target?.table.id else {
                return nil
            }
            return .object(tableID: nil, object._key)
        }
        if let value = value as? any RealmCollectionValue, let stored = stored(value) { return .value(stored) }
        if let value = value as? any RawRepresentable { return try constant(value.rawValue, for: column, of: target) }
        if let list = try list(value, { element throws(QueryError) in try constant(element, for: column, of: target) })
        {
            return list
        }
        throw unusable(value)
    }

    /// Returns a constant for a mixed property, which accepts any value.
    private func mixed(_ value: Any) throws(QueryError) -> FreeholdEngine.Constant? {
        guard let content = AnyRealmValue.content(of: value, depth: 0) else { throw unusable(value) }
        if case .object(let object?) = content {
            try check(object)
            if object.isInvalidated { return nil }
        }
        return core.sought(content).map { .value($0) }
    }

    /// Returns the elements of a list as constants. Objects that no link can lead to are left out.
    private func list(
        _ value: Any,
        _ convert: (Any) throws(QueryError) -> FreeholdEngine.Constant?
    ) throws(QueryError) -> FreeholdEngine.Constant? {
        guard let elements = value as? any Sequence else { return nil }
        var constants: [FreeholdEngine.Constant] = []
        for element in Array<Any>(erasing: elements) {
            if let constant = try convert(element) { constants.append(constant) }
        }
        return .list(constants)
    }

    private func check(_ object: ObjectBase) throws(QueryError) {
        if object._core != nil && object._core !== core {
            throw QueryError(.argument, "A query was given an object of another realm. Give it one of \(core.name).")
        }
    }

    private func unusable(_ value: Any) -> QueryError {
        QueryError(.argument, "\(PlainValue.describe(value)) can't be used in a query. Use a value that can be stored.")
    }

    private func stored<V: RealmCollectionValue>(_ value: V) -> Value? {
        guard case .value(let stored) = V._rlmContent(value) else { return nil }
        return stored
    }
}

extension [Any] {
    init(erasing sequence: any Sequence) {
        func elements<S: Sequence>(_ sequence: S) -> [Any] { sequence.map { $0 } }
        self = elements(sequence)
    }
}

extension QueryCompiler<ModelNames> {
    init(_ table: ManagedTable) {
        self.init(
            ModelNames(core: table.core),
            table,
            textOptions: table.core.textMatching == .latin1 ? .latinCaseOnly : []
        )
    }
}

/// Runs a body whose errors don't depend on the data. Traps on an error, because it is a mistake of the caller.
func trapping<T>(_ body: () throws(QueryError) -> T) -> T {
    do throws(QueryError) { return try body() } catch { programmerError(error.description) }
}
