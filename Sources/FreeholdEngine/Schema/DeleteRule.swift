/// What the deletion of an object does along a link. Raw values are stored in files and never change.
public enum DeleteRule: UInt8, Sendable, Codable, CaseIterable {
    /// The link goes, the other object stays.
    case nullify = 0
    /// The other object is deleted, too.
    ///
    /// On a link of an embedded object this holds also where the embedded object goes because it was overwritten or left its
    /// list or map; then no ``deny`` is asked.
    case cascade = 1
    /// The object can't be deleted as long as there is another at the link's other end.
    case deny = 2
}

/// What deletions do along the links of one column, in either direction.
public struct DeleteRules: Hashable, Sendable {
    /// Of what the links lead to, when the object that holds them is deleted.
    public var targets: DeleteRule
    /// Of the objects that hold the links, when what they lead to is deleted.
    public var origins: DeleteRule

    public init(targets: DeleteRule = .nullify, origins: DeleteRule = .nullify) {
        self.targets = targets
        self.origins = origins
    }

    /// As stored beside a column's flags, from the third bit on.
    var bits: UInt8 { targets.rawValue << 2 | origins.rawValue << 4 }

    init?(bits: UInt8) {
        guard let targets = DeleteRule(rawValue: bits >> 2 & 3), let origins = DeleteRule(rawValue: bits >> 4 & 3)
        else {
            return nil
        }
        self.init(targets: targets, origins: origins)
    }
}

/// The columns whose rules say what a deletion of one table's objects takes along, or what denies it.
struct DeletionColumns {
    /// The columns of the table itself that cascade.
    var cascading: [Column] = []
    var denying: [Column] = []
    /// Those that link to the table.
    var cascadingOrigins: [Column] = []
    var denyingOrigins: [Column] = []

    /// By table id; no entry where no rule says anything.
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
