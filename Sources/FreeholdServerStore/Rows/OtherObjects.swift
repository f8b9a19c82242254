internal import FreeholdEngine
internal import FreeholdSyncCore

/// Objects that are no rows of a class's table: deleted ones until the horizon, those whose class has no table, and those whose key its
/// table can't hold. Document and meta data lie in hidden rows.
struct OtherObjects {
    let view: DataView
    let table: Table
    let horizon: StreamVersion

    enum Column: Int {
        case name, className, alive, version, body
    }

    private func column(_ column: Column) -> FreeholdEngine.Column { table.columns[column.rawValue] }

    /// What finds an object: its key first, since classes have long names seldom.
    static func text(_ name: ObjectName) -> String {
        var bytes: [UInt8] = []
        bytes.append(name.key)
        var text = ""
        text.reserveCapacity(bytes.count * 2 + 1 + name.className.string.utf8.count)
        for byte in bytes {
            text.unicodeScalars.append(digits[Int(byte >> 4)])
            text.unicodeScalars.append(digits[Int(byte & 15)])
        }
        return text + "/" + name.className.string
    }

    /// Returns the number that a digit of a name means.
    private static func number(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    private static let digits = Array("0123456789abcdef".unicodeScalars)

    func row(_ name: ObjectName) -> ObjectKey? { view.find(primaryKey: .string(Self.text(name)), in: table) }

    /// The object of a row. Nil if the horizon has taken it.
    func object(_ row: ObjectKey) throws -> (name: ObjectName, object: MergedObject?) {
        try reading(view.pieces(column(.body), row)) { cursor in
            let name = try cursor.name()
            var object = try cursor.object()
            guard horizon > 0 else { return (name, object) }
            return (name, object.trim(horizon: horizon) ? object : nil)
        }
    }

    /// Returns the key of a row's object, without reading the object.
    func key(_ row: ObjectKey) throws -> PrimaryKey {
        let text = Array((view.readString(column(.name), row) ?? "").utf8)
        let end = text.firstIndex(of: UInt8(ascii: "/")) ?? text.endIndex
        var bytes: [UInt8] = []
        bytes.reserveCapacity(end / 2)
        for index in stride(from: 0, to: end - 1, by: 2) {
            guard let high = Self.number(text[index]), let low = Self.number(text[index + 1]) else {
                throw StoreDamage("An object's name can't be read.")
            }
            bytes.append(high << 4 | low)
        }
        return try reading(bytes) { cursor in try cursor.key() }
    }

    func object(_ name: ObjectName) throws -> MergedObject? {
        guard let row = row(name), view.readInt(column(.version), row) != 0 else { return nil }
        return try object(row).object
    }

    /// The live ones of a class, in no order.
    func rows(of className: SyncString) -> [ObjectKey] {
        guard view.count(table) > 0 else { return [] }
        return FreeholdEngine.RowQuery(
            table: table,
            predicate: .comparison(PropertyPath(column(.className)), .equal, .string(className.string))
        )
        .keys(in: view)
    }

    func isAlive(_ row: ObjectKey) -> Bool { view.readBool(column(.alive), row) ?? false }

    // MARK: Writing

    /// - Parameter isTakenIn: it is of a class that takes new objects only: no request reads it.
    func write(
        _ name: ObjectName,
        _ object: MergedObject,
        in transaction: WriteTransaction,
        isTakenIn: Bool = false
    ) throws {
        var body: [UInt8] = []
        body.append(name)
        try body.append(object, name.key)
        let row = try self.row(name) ?? transaction.create(table, primaryKey: .string(Self.text(name)))
        // Of live ones only, so that a class's tombstones don't lie among them.
        let className: Value = object.isAlive && !isTakenIn ? .string(name.className.string) : .null
        try transaction.set(column(.className), row, className)
        transaction.setBool(column(.alive), row, object.isAlive)
        // Nothing but what was taken in has the version 0.
        transaction.setInt(column(.version), row, isTakenIn ? 0 : Int64(bitPattern: object.changed))
        try transaction.setPieces(column(.body), row, body)
    }

    func remove(_ name: ObjectName, in transaction: WriteTransaction) {
        if let row = row(name) { transaction.delete(table, row) }
    }

    /// Those that died at or before a version.
    func dead(at version: StreamVersion) -> [ObjectKey] {
        FreeholdEngine.RowQuery(
            table: table,
            predicate: .and([
                .comparison(PropertyPath(column(.alive)), .equal, .bool(false)),
                .comparison(PropertyPath(column(.version)), .lessOrEqual, .int(Int64(bitPattern: version))),
            ])
        )
        .keys(in: view)
    }
}
