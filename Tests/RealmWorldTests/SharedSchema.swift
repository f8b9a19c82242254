import FreeholdEngine
import FreeholdRealmWire
import FreeholdSyncCore
import Synchronization

/// The classes of an app in development mode: uploads add to them.
final class SharedSchema: Sendable {
    private let stored: Mutex<[FreeholdEngine.TableSpec]>

    var tables: [FreeholdEngine.TableSpec] { stored.withLock { $0 } }

    init(_ tables: [FreeholdEngine.TableSpec] = []) { stored = Mutex(tables) }

    /// Adds the classes and fields of a client's instructions.
    func adopt(_ instructions: [Instruction]) {
        stored.withLock { tables in
            for case .addTable(let spec) in instructions where !tables.contains(where: { $0.name == spec.text }) {
                let key = spec.primaryKey.map {
                    FreeholdEngine.ColumnSpec($0.field.description, $0.kind.type, optional: $0.isNullable)
                }
                tables.append(
                    FreeholdEngine.TableSpec(
                        spec.text,
                        columns: key.map { [$0] } ?? [],
                        primaryKey: key?.name,
                        isEmbedded: spec.kind == .embedded,
                        isAsymmetric: spec.kind == .asymmetric
                    )
                )
            }
            for case .addColumn(let column) in instructions {
                guard let index = tables.firstIndex(where: { $0.name == column.table.description }),
                    !tables[index].columns.contains(where: { $0.name == column.field.description })
                else { continue }
                tables[index].columns.append(FreeholdEngine.ColumnSpec(column))
            }
        }
    }
}

extension FreeholdRealmWire.TableSpec {
    fileprivate var text: String { name.description }
}

extension FreeholdEngine.ColumnSpec {
    /// The column in the form of the server.
    init(_ column: FreeholdRealmWire.ColumnSpec) {
        let collection: FreeholdEngine.CollectionKind =
            switch column.collection {
            case .single: .none
            case .list: .list
            case .set: .set
            case .dictionary: .dictionary
            }
        let isLink = column.kind == .link
        self.init(
            column.field.description,
            column.kind.type,
            optional: isLink ? collection == .none || collection == .dictionary : column.isNullable,
            collection: collection,
            target: column.target.flatMap { $0.isEmpty ? nil : $0.description }
        )
    }
}

extension ColumnKind {
    /// The type in the form of the server.
    var type: ColumnType {
        switch self {
        case .mixed: .mixed
        case .int: .int
        case .bool: .bool
        case .string: .string
        case .data: .data
        case .date: .timestamp
        case .float: .float
        case .double: .double
        case .decimal: .decimal128
        case .link: .link
        case .objectID: .objectId
        case .uuid: .uuid
        }
    }
}
