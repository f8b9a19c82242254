/// The effect of an object's deletion along a link. The raw values are stored in files and never change.
public enum DeleteRule: UInt8, Sendable, Codable, CaseIterable {
    /// The link is removed, and the other object remains.
    case nullify = 0
    /// The other object is deleted, too.
    ///
    /// On a link of an embedded object, this also applies if the embedded object is deleted because it was overwritten or removed from its list or
    /// map. ``deny`` rules aren't checked in that case.
    case cascade = 1
    /// The object can't be deleted while the link connects it with another object.
    case deny = 2
}

/// The rules for deletions along the links of one column, in both directions.
public struct DeleteRules: Hashable, Sendable {
    /// The rule for the targets of the links when the object with the links is deleted.
    public var targets: DeleteRule
    /// The rule for the objects with the links when the target is deleted.
    public var origins: DeleteRule

    public init(targets: DeleteRule = .nullify, origins: DeleteRule = .nullify) {
        self.targets = targets
        self.origins = origins
    }

    /// The stored form, which uses the bits of a column's flags from the third bit on.
    var bits: UInt8 { targets.rawValue << 2 | origins.rawValue << 4 }

    init?(bits: UInt8) {
        guard let targets = DeleteRule(rawValue: bits >> 2 & 3), let origins = DeleteRule(rawValue: bits >> 4 & 3)
        else {
            return nil
        }
        self.init(targets: targets, origins: origins)
    }
}

/// The columns whose rules extend or deny the deletion of one table's objects.
struct DeletionColumns {
    /// The columns of the table itself that cascade.
    var cascading: [Column] = []
    var denying: [Column] = []
    /// The columns of all tables that link to the table and cascade.
    var cascadingOrigins: [Column] = []
    var denyingOrigins: [Column] = []

    mutating func add(_ other: DeletionColumns) {
        cascading += other.cascading
        denying += other.denying
        cascadingOrigins += other.cascadingOrigins
        denyingOrigins += other.denyingOrigins
    }

    /// Returns the columns by table id. Tables without rules have no entry.
    static func of(_ tables: [Table]) -> [Int: DeletionColumns] {
        var out: [Int: DeletionColumns] = [:]
        for column in tables.flatMap(\.storedColumns) {
            switch column.rules.targets {
            case .nullify: break
            case .cascade: out[column.tableID, default: DeletionColumns()].cascading.append(column)
            case .deny: out[column.tableID, default: DeletionColumns()].denying.append(column)
            }
            guard let target = column.targetTableID else { continue }
            switch column.rules.origins {
            case .nullify: break
            case .cascade: out[target, default: DeletionColumns()].cascadingOrigins.append(column)
            case .deny: out[target, default: DeletionColumns()].denyingOrigins.append(column)
            }
        }
        return out
    }
}
