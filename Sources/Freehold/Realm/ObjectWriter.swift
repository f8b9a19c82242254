import FreeholdEngine

/// Writes the plain properties of unmanaged objects into new rows, the common types straight from the object's memory.
///
/// Links and collections are the planner's.
final class ObjectWriter {
    /// How a property's wrapper holds its value, which is the wrapper's first field.
    private enum Storage {
        case int, int32, int16, int8, bool, double, string, optionalInt, optionalDouble, optionalString
        /// Read through the wrapper's type.
        case other

        init(_ access: any PersistedAccess.Type) {
            self =
                if access == Persisted<Int>.self || access == Persisted<Int64>.self {
                    .int
                } else if access == Persisted<Int32>.self {
                    .int32
                } else if access == Persisted<Int16>.self {
                    .int16
                } else if access == Persisted<Int8>.self {
                    .int8
                } else if access == Persisted<Bool>.self {
                    .bool
                } else if access == Persisted<Double>.self {
                    .double
                } else if access == Persisted<String>.self {
                    .string
                } else if access == Persisted<Int?>.self {
                    .optionalInt
                } else if access == Persisted<Double?>.self {
                    .optionalDouble
                } else if access == Persisted<String?>.self {
                    .optionalString
                } else {
                    .other
                }
        }

        /// Whether a value of the type may be over a limit, or null where one is required.
        var needsCheck: Bool {
            switch self {
            case .string, .optionalString, .other: true
            default: false
            }
        }
    }

    /// Holds nothing that is counted, so that walking fields is cheap.
    private struct Field {
        let storage: Storage
        let offset: Int
        let metaOffset: Int
        let property: Int
        /// The table's, which the writer holds.
        let column: Unmanaged<Column>
    }

    let table: ManagedTable
    /// Links and collections.
    let references: [PropertyInfo]
    /// What `adopt` can't do by itself: references, linking objects and types of `other` storage.
    private let adopted: [PropertyInfo]
    private let columns: [Column?]
    private let fields: [Field]
    private let checked: [Field]
    private let primaryKey: Field?

    init(_ table: ManagedTable) {
        self.table = table
        var fields: [Field] = []
        var references: [PropertyInfo] = []
        var primaryKey: Field?
        for property in table.info.properties {
            guard let column = table.columns[property.index] else { continue }
            if property.isLink || property.isCollection {
                references.append(property)
                continue
            }
            let field = Field(
                storage: Storage(property.access),
                offset: property.offset,
                metaOffset: property.metaOffset,
                property: property.index,
                column: Unmanaged.passUnretained(column)
            )
            if column.isPrimaryKey { primaryKey = field } else { fields.append(field) }
        }
        columns = table.columns
        adopted = table.info.properties.filter { property in
            !(fields + (primaryKey.map { [$0] } ?? [])).contains {
                $0.property == property.index && $0.storage != .other
            }
        }
        self.fields = fields
        self.references = references
        self.primaryKey = primaryKey
        checked = (fields + (primaryKey.map { [$0] } ?? [])).filter { $0.storage.needsCheck }
    }

    /// - Throws: if a value can't be stored.
    func check(_ object: ObjectBase) throws(Realm.Error) {
        for field in checked {
            if field.storage == .string {
                let length = address(object, field).assumingMemoryBound(to: String.self).pointee.utf8.count
                if length <= ValueLimits.string { continue }
            }
            let property = table.info.properties[field.property]
            try ValueLimits.check(
                value(object, field),
                optional: property.shape.isOptional,
                className: table.info.className,
                property: property.name
            )
        }
    }

    /// The value of the primary key; nil if the class has none.
    func primaryKey(of object: ObjectBase) -> Value? { primaryKey.map { value(object, $0) } }

    /// Writes everything but the primary key, links and collections into a row that was just made.
    func write(_ object: ObjectBase, into key: ObjectKey, _ transaction: WriteTransaction) throws(EngineError) {
        for field in fields {
            let address = address(object, field)
            let column = field.column._withUnsafeGuaranteedRef { $0 }
            switch field.storage {
            case .int: transaction.setInt(column, key, address.load(as: Int64.self))
            case .int32: transaction.setInt(column, key, Int64(address.load(as: Int32.self)))
            case .int16: transaction.setInt(column, key, Int64(address.load(as: Int16.self)))
            case .int8: transaction.setInt(column, key, Int64(address.load(as: Int8.self)))
            case .bool: transaction.setBool(column, key, address.load(as: Bool.self))
            case .double: transaction.setDouble(column, key, address.load(as: Double.self))
            case .string:
                transaction.setString(column, key, address.assumingMemoryBound(to: String.self).pointee)
            // A new row is null where it can be.
            case .optionalInt:
                if let value = address.load(as: Int?.self) { transaction.setInt(column, key, Int64(value)) }
            case .optionalDouble:
                if let value = address.load(as: Double?.self) { transaction.setDouble(column, key, value) }
            case .optionalString:
                if let value = address.assumingMemoryBound(to: String?.self).pointee {
                    transaction.setString(column, key, value)
                }
            case .other:
                let value = value(object, field)
                if !value.isNull { try transaction.set(column, key, value) }
            }
        }
    }

    /// Turns the object into the accessor of the row that was made for it: `ObjectBase._attach`, without looking at
    /// each property's type.
    func attach(_ object: ObjectBase, _ key: ObjectKey) {
        table.sync()
        object._bind(table, key)
        for field in fields { adopt(object, field) }
        if let primaryKey { adopt(object, primaryKey) }
        for property in adopted {
            property.access.adopt(object._fieldAddress(property.offset), object, property.index)
        }
        object._unmanagedError = nil
    }

    @inline(__always)
    private func adopt(_ object: ObjectBase, _ field: Field) {
        if field.storage == .other { return }
        let address = address(object, field)
        // Memory that nobody reads any more.
        if field.storage == .string { address.assumingMemoryBound(to: String.self).pointee = "" }
        if field.storage == .optionalString { address.assumingMemoryBound(to: String?.self).pointee = nil }
        let meta = Persisted<Int>.managedBit | UInt32(field.property)
        object._fieldAddress(field.metaOffset).storeBytes(of: meta, as: UInt32.self)
    }

    /// The values that `write` would write, for a row that is updated.
    func values(of object: ObjectBase) -> [(property: Int, value: GraphPlan.PlannedValue)] {
        fields.map { ($0.property, .value(value(object, $0))) }
    }

    private func value(_ object: ObjectBase, _ field: Field) -> Value {
        switch field.storage {
        case .int: return .int(address(object, field).load(as: Int64.self))
        case .string: return .string(address(object, field).assumingMemoryBound(to: String.self).pointee)
        default:
            guard case .value(let value) = table.info.content(of: object, at: field.property) else { return .null }
            return value
        }
    }

    @inline(__always)
    private func address(_ object: ObjectBase, _ field: Field) -> UnsafeMutableRawPointer {
        object._fieldAddress(field.offset)
    }
}
