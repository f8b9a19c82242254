import FreeholdEngine

extension RealmCore {
    /// Adds an unmanaged object whose links lead to rows that are there and whose lists are empty, if nothing is wrong
    /// with it: the way of most objects. Else nothing has changed, and the general way tells what is wrong.
    ///
    /// - Returns: Whether the object is managed now.
    func addDirectly(_ object: ObjectBase, _ transaction: WriteTransaction) -> Bool {
        guard object._core == nil, object._extra == nil, let table = table(for: type(of: object)) else { return false }
        let info = table.info
        guard info.isDirect else { return false }
        table.sync()
        let address = object._fieldAddress(0)
        let properties = info.directProperties
        for property in properties where !property.fits(address, table) { return false }
        let key: ObjectKey
        if let index = info.primaryKeyIndex {
            let property = properties[index]
            let created =
                property.storage == .int64
                ? transaction.createUnlessTaken(
                    table.table,
                    primaryKey: (address + property.offset).load(as: Int64.self)
                )
                : transaction.createUnlessTaken(table.table, primaryKey: property.value(address))
            guard let created else { return false }
            key = created
        } else {
            key = transaction.createKeyless(table.table)
        }
        didCreate(key, in: table.table)
        table.store(object, key, transaction, withLinks: true)
        object._bind(table, key)
        info.adopt(object)
        return true
    }
}

extension ManagedTable {
    /// Writes the plain values of an unmanaged object into a new row, and links, if all of them lead to rows.
    @inline(__always)
    func store(_ object: ObjectBase, _ key: ObjectKey, _ transaction: WriteTransaction, withLinks: Bool) {
        let columns = state.pointee.columnReferences.unsafelyUnwrapped
        let address = object._fieldAddress(0)
        for property in info.directProperties where property.index != info.primaryKeyIndex {
            guard let column = columns[property.index], withLinks || property.storage != .link else { continue }
            column._withUnsafeGuaranteedRef { property.store(address, in: transaction, $0, key) }
        }
    }
}
