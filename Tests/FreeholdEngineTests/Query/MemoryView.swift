import FoundationEssentials

@testable import FreeholdEngine

/// A view whose rows are plain Swift values, from which it creates leaves.
final class MemoryView: DataView {
    final class TableData {
        /// The rows by key; `nil` is a deleted one. The values are by column. Lists, sets and the values of
        /// dictionaries are in `lists`, the keys of dictionaries (sorted) in `keys`.
        var rows: [[Value]?] = []
        var lists: [[Int: [Value]]] = []
        var keys: [[Int: [String]]] = []
    }

    private let databaseSchema: DatabaseSchema
    private var data: [Int: TableData] = [:]
    private var leaves: [Int: [Int: [UnsafeMutableRawBufferPointer?]]] = [:]
    private var parts: [String: UnsafeMutableRawBufferPointer] = [:]
    private var presences: [Int: [UnsafeMutablePointer<UInt64>?]] = [:]
    private var lives: [Int: [Int]] = [:]
    private var long: [UnsafeRawBufferPointer] = []
    private var inverses: [UInt32: [UnsafeMutableRawBufferPointer]] = [:]
    /// Strings over this length are stored outside of leaves.
    var longLimit = 40
    /// Splits byte leaves into this many parts.
    var partsLog2 = 0

    init(schema: DatabaseSchema, clusterSpan: Int, tables: [Int: TableData]) {
        databaseSchema = schema
        data = tables
        super.init(clusterSpan: clusterSpan)
    }

    deinit {
        for columns in leaves.values { for all in columns.values { for leaf in all { leaf?.deallocate() } } }
        for part in parts.values { part.deallocate() }
        for bytes in long { bytes.deallocate() }
        for all in inverses.values { for leaf in all { leaf.deallocate() } }
        for all in presences.values { for p in all { p?.deallocate() } }
    }

    func build() {
        for table in databaseSchema.tables {
            let rows = data[table.id]!.rows
            let clusters = (rows.count + clusterSpan - 1) / clusterSpan
            var presence: [UnsafeMutablePointer<UInt64>?] = []
            var live: [Int] = []
            for cluster in 0..<clusters {
                let slice = rows[(cluster * clusterSpan)..<min((cluster + 1) * clusterSpan, rows.count)]
                let count = slice.count { $0 != nil }
                live.append(count)
                if count == 0 || slice.prefix(count).allSatisfy({ $0 != nil }) {
                    presence.append(nil)
                } else {
                    let words = (clusterSpan + 63) / 64
                    let p = UnsafeMutablePointer<UInt64>.allocate(capacity: words)
                    p.initialize(repeating: 0, count: words)
                    for (i, row) in slice.enumerated() where row != nil { p[i >> 6] |= 1 << UInt64(i & 63) }
                    presence.append(p)
                }
            }
            presences[table.id] = presence
            lives[table.id] = live
            var made: [Int: [UnsafeMutableRawBufferPointer?]] = [:]
            for column in table.columns where column.collection == .none {
                made[column.index] = (0..<clusters).map { cluster in
                    let slice = rows[(cluster * clusterSpan)..<min((cluster + 1) * clusterSpan, rows.count)]
                    var values = slice.map { $0?[column.index] ?? column.defaultValue }
                    // Trailing defaults aren't stored.
                    while let last = values.last, last == column.defaultValue, values.count % 3 != 0 {
                        values.removeLast()
                    }
                    if values.isEmpty { return nil }
                    guard partsLog2 > 0, column.type == .string else { return encode(column, values) }
                    let span = Leaf.partSpan(clusterSpan: clusterSpan, partsLog2: partsLog2)
                    for part in 0..<(1 << partsLog2) where part * span < values.count {
                        let slice = Array(values[(part * span)..<min((part + 1) * span, values.count)])
                        parts["\(table.id).\(column.index).\(cluster).\(part)"] = encode(column, slice)
                    }
                    return LeafEncoder.encodeSplitHead(
                        codec: column.type.rawValue,
                        count: values.count,
                        partsLog2: partsLog2
                    )
                }
            }
            for column in table.columns where column.collection != .none {
                let lists = data[table.id]!.lists.map { $0[column.index] ?? [] }
                let keys = column.collection == .dictionary ? data[table.id]!.keys.map { $0[column.index] ?? [] } : nil
                made[column.index] = (0..<clusters).map { encode(lists, column.type, $0, keys: keys) }
            }
            leaves[table.id] = made
        }
    }

    private func encode(_ column: Column, _ values: [Value]) -> UnsafeMutableRawBufferPointer {
        let n = values.count
        var nulls = [UInt64](repeating: 0, count: n / 64 + 1)
        for (i, value) in values.enumerated() where value.isNull && column.type != .link {
            nulls[i >> 6] |= 1 << UInt64(i & 63)
        }
        func fixed(_ width: Int, _ store: (UnsafeMutableRawPointer, Value) -> Void) -> UnsafeMutableRawBufferPointer {
            var bytes = [UInt8](repeating: 0, count: n * width)
            bytes.withUnsafeMutableBytes { for i in 0..<n { store($0.baseAddress! + i * width, values[i]) } }
            return bytes.withUnsafeBytes {
                LeafEncoder.encodeFixed(
                    values: $0.baseAddress!,
                    width: width,
                    nulls: nulls,
                    count: n,
                    codec: column.type.rawValue
                )
            }
        }
        switch column.type {
        case .int, .link:
            let ints: [Int64] = values.map {
                switch $0 {
                case .int(let x): x
                case .link(let key): key.raw + 1
                default: 0
                }
            }
            return LeafEncoder.encodeInts(values: ints, nulls: nulls, count: n, codec: column.type.rawValue)
        case .bool:
            var bits = [UInt64](repeating: 0, count: n / 64 + 1)
            for (i, value) in values.enumerated() where value == .bool(true) { bits[i >> 6] |= 1 << UInt64(i & 63) }
            return LeafEncoder.encodeBools(values: bits, nulls: nulls, count: n)
        case .float:
            return fixed(4) { if case .float(let x) = $1 { $0.storeBytes(of: x, as: Float.self) } }
        case .double:
            return fixed(8) { if case .double(let x) = $1 { $0.storeBytes(of: x, as: Double.self) } }
        case .objectId: return fixed(12) { if case .objectId(let x) = $1 { x.copyBytes(to: $0) } }
        case .uuid: return fixed(16) { if case .uuid(let x) = $1 { $0.storeBytes(of: x.uuid, as: uuid_t.self) } }
        case .decimal128:
            return fixed(16) {
                guard case .decimal128(let x) = $1 else { return }
                $0.storeBytes(of: x.lo, as: UInt64.self)
                $0.storeBytes(of: x.hi, toByteOffset: 8, as: UInt64.self)
            }
        case .timestamp:
            let all = values.map { v -> Timestamp in
                if case .timestamp(let t) = v { t } else { Timestamp(seconds: 0, nanoseconds: 0) }
            }
            return LeafEncoder.encodeTimestamps(
                seconds: all.map { $0.seconds },
                nanoseconds: all.map { $0.nanoseconds },
                nulls: nulls,
                count: n
            )
        case .string, .data, .mixed:
            var storage: [UInt8] = []
            var places: [(Int, Int, Bool)] = []
            for value in values {
                var bytes = FieldCoding.withBytes(value, column.type) { Array($0) }
                let isLong = bytes.count > longLimit
                if isLong {
                    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 16)
                    copy.copyBytes(from: bytes)
                    long.append(UnsafeRawBufferPointer(copy))
                    bytes = withUnsafeBytes(of: (UInt64(long.count - 1), UInt64(bytes.count))) { Array($0) }
                }
                places.append((storage.count, bytes.count, isLong))
                storage += bytes
            }
            storage.append(0)
            return storage.withUnsafeBytes { raw in
                let entries = places.map { LeafEntry(raw.baseAddress! + $0.0, $0.1, isReference: $0.2) }
                return LeafEncoder.encodeBytes(
                    entries: entries,
                    nulls: nulls,
                    count: n,
                    codec: column.type.rawValue,
                    limit: .max
                )!
            }
        }
    }

    override var schema: DatabaseSchema { databaseSchema }
    override func tableState(_ table: Table) -> TableState {
        var state = TableState()
        state.count = lives[table.id]!.reduce(0, +)
        return state
    }
    override func contains(_ table: Table, _ key: ObjectKey) -> Bool {
        let rows = data[table.id]!.rows
        return rows.indices.contains(Int(key.raw)) && rows[Int(key.raw)] != nil
    }

    override func clusterCount(_ table: Table) -> Int { lives[table.id]!.count }
    override func liveCount(_ table: Table, cluster: Int) -> Int { lives[table.id]![cluster] }
    override func presence(_ table: Table, cluster: Int) -> UnsafePointer<UInt64>? {
        presences[table.id]![cluster].map { UnsafePointer($0) }
    }
    override func leaf(_ column: Column, cluster: Int) -> UnsafeRawPointer? {
        leaves[column.tableID]![column.index]![cluster].map { UnsafeRawPointer($0.baseAddress!) }
    }
    override func leafPart(_ column: Column, cluster: Int, part: Int) -> UnsafeRawPointer? {
        parts["\(column.tableID).\(column.index).\(cluster).\(part)"].map { UnsafeRawPointer($0.baseAddress!) }
    }
    override func block(_ segment: UInt32, _ number: UInt64) -> UnsafeRawBufferPointer? {
        switch databaseSchema.owner(of: segment) {
        case .column(_, _, .blobs): return long[Int(number)]
        case .column(_, let column, .backlinkLeaf):
            let target = databaseSchema.table(id: column.targetTableID!)!
            return UnsafeRawBufferPointer(backlinkLeaf(column, target, Int(number)))
        case .table(let table, offset: 3):
            return UnsafeRawBufferPointer(backlinkLeaf(table.mixedInverse, table, Int(number)))
        default: return nil
        }
    }

    private func backlinkLeaf(_ column: Column, _ target: Table, _ cluster: Int) -> UnsafeMutableRawBufferPointer {
        if let made = inverses[column.firstSegment] { return made[cluster] }
        var lists = [[Value]](repeating: [], count: clusterCount(target) * clusterSpan)
        func forEachValue(_ column: Column, _ body: (ObjectKey, Value) -> Void) {
            for (i, row) in data[column.tableID]!.rows.enumerated() {
                guard let row else { continue }
                let values =
                    column.collection == .none
                    ? [row[column.index]] : data[column.tableID]!.lists[i][column.index] ?? []
                for value in values { body(ObjectKey(Int64(i)), value) }
            }
        }
        if column.id == Table.mixedInverseID {
            for origin in databaseSchema.tables.flatMap(\.columns) where origin.type == .mixed {
                forEachValue(origin) { key, value in
                    value.forEachObjectLink {
                        guard $0.tableID == target.id, lists.indices.contains(Int($0.key.raw)) else { return }
                        lists[Int($0.key.raw)].append(.int(MixedOrigin(origin, key).code))
                    }
                }
            }
            for i in lists.indices { lists[i].sort { Value.compare($0, with: $1) < 0 } }
        } else {
            forEachValue(column) { key, value in
                if case .link(let target) = value { lists[Int(target.raw)].append(.int(key.raw)) }
            }
        }
        let made = (0..<clusterCount(target)).map { encode(lists, .int, $0) }
        inverses[column.firstSegment] = made
        return made[cluster]
    }

    /// A leaf of inline lists, or dictionaries.
    private func encode(
        _ lists: [[Value]],
        _ type: ColumnType,
        _ cluster: Int,
        keys: [[String]]? = nil
    ) -> UnsafeMutableRawBufferPointer {
        let first = min(cluster * clusterSpan, lists.count)
        let places = first..<min(first + clusterSpan, lists.count)
        let slice = places.map { i in
            keys.map { StoredDictionary.encode(keys: $0[i].map { .string($0) }, values: lists[i], type: type)! }
                ?? InlineList.encode(lists[i], type: type)!
        }
        let all: [UInt8] = Array(slice.joined()) + [0]
        return all.withUnsafeBytes { raw in
            var at = 0
            let entries = slice.map { bytes in
                defer { at += bytes.count }
                return LeafEntry(raw.baseAddress! + at, bytes.count)
            }
            return LeafEncoder.encodeBytes(
                entries: entries,
                nulls: nil,
                count: entries.count,
                codec: Leaf.listCodec | type.rawValue,
                limit: .max
            )!
        }
    }
}
