internal import FreeholdEngine
internal import FreeholdSyncCore

/// The objects that aren't rows of a class's table: deleted objects until the horizon, objects whose class has no
/// table, and objects whose key the table can't store. Their documents and meta data are stored in hidden rows.
struct OtherObjects {
    let view: DataView
    let table: Table
    let horizon: StreamVersion

    enum Column: Int {
        case name, className, alive, version, body
    }

    private func column(_ column: Column) -> FreeholdEngine.Column { table.columns[column.rawValue] }

    /// Returns the text by which an object is found. The key is first, because names of classes are rarely long.
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

    /// Returns the value of a digit in a name.
    private static func number(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    private static let digits = Array("0123456789abcdef".unicodeScalars)

    func row(_ name: ObjectName) -> ObjectKey? { view.find(primaryKey: .string(Self.text(name)), in: table) }

    /// Returns the object of a row. The object is `nil` if the horizon has removed it.
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

    /// Returns the rows of a class's live objects, in no particular order.
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

    /// - Parameter isTakenIn: A Boolean value that indicates whether the class is asymmetric, so that no request reads
    ///   the object.
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
        // Only live objects have the name of their class, so that a search for a class doesn't find deleted objects.
        let className: Value = object.isAlive && !isTakenIn ? .string(name.className.string) : .null
        try transaction.set(column(.className), row, to: className)
        transaction.setBool(column(.alive), row, to: object.isAlive)
        // Only objects of asymmetric classes have the version 0.
        transaction.setInt(column(.version), row, to: isTakenIn ? 0 : Int64(bitPattern: object.changed))
        try transaction.setPieces(column(.body), row, to: body)
    }

    func remove(_ name: ObjectName, in transaction: WriteTransaction) {
        if let row = row(name) { transaction.delete(table, row) }
    }

    /// Returns the rows of objects that were deleted at or before a version.
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
