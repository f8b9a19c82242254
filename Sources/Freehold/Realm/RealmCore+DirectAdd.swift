import FreeholdEngine

extension RealmCore {
    /// Adds an unmanaged object if its data is valid, its links lead to existing rows, and its collections contain
    /// plain values. This is the fast path for most objects. Otherwise the method changes nothing, and the general path
    /// reports errors.
    ///
    /// - Returns: `true` if the object is managed now.
    func addDirectly(_ object: ObjectBase, _ transaction: WriteTransaction) -> Bool {
        guard object._core == nil, object._extra == nil, let table = table(for: type(of: object)) else { return false }
        let info = table.info
        guard info.isDirect else { return false }
        table.sync()
        let address = object._fieldAddress(0)
        let properties = info.directProperties
        var filled: [(index: Int, contents: PlainContents)] = []
        for property in properties {
            if let collection = property.plainCollection(address) {
                guard let contents = collection._withUnsafeGuaranteedRef(\.plainContents) else { return false }
                filled.append((property.index, contents))
            } else if !property.fits(address, table) {
                return false
            }
        }
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
        table.store(object, at: key, in: transaction, withLinks: true)
        for (index, contents) in filled {
            guard let column = table.columns[index] else { continue }
            if column.collection == .dictionary {
                transaction.fill(column, key, entries: contents.entries)
            } else {
                transaction.fill(column, key, with: contents.values)
            }
        }
        object._bind(table, key)
        info.adopt(object)
        return true
    }
}

extension ManagedTable {
    /// Returns a Boolean value that indicates whether an embedded object can be added together with its owner. It must
    /// have no owner yet, and neither its links nor its collections may contain embedded objects.
    func takesDirectly(_ object: ObjectBase) -> Bool {
        guard object._core == nil, object._extra == nil, type(of: object) == info.cls, info.isDirect else {
            return false
        }
        let address = object._fieldAddress(0)
        for property in info.directProperties {
            if property.isEmbedded && property.hasLink(address) || !property.fits(address, self) { return false }
        }
        return true
    }

    /// Writes the values of an unmanaged object to a new row, if all of them fit.
    @inline(__always)
    func store(_ object: ObjectBase, at key: ObjectKey, in transaction: WriteTransaction, withLinks: Bool) {
        let columns = state.pointee.columnReferences.unsafelyUnwrapped
        let address = object._fieldAddress(0)
        for property in info.directProperties where property.index != info.primaryKeyIndex {
            guard let column = columns[property.index], withLinks || property.isPlain else { continue }
            if property.isEmbedded {
                if property.hasLink(address) { storeEmbedded(object, at: key, in: property, transaction: transaction) }
                continue
            }
            column._withUnsafeGuaranteedRef { property.store(address, in: transaction, to: $0, of: key) }
        }
    }

    /// Adds the embedded object of a to-one link together with its new owner.
    private func storeEmbedded(
        _ owner: ObjectBase,
        at key: ObjectKey,
        in property: DirectProperty,
        transaction: WriteTransaction
    ) {
        let linked = (owner._fieldAddress(0) + property.offset).assumingMemoryBound(to: ObjectBase?.self).pointee
        guard let linked, let column = columns[property.index] else { return }
        let target = target(of: property.index)
        if linked._core != nil {
            // Another property of the owner already contains the object.
            let stored = core.store([.object(linked)], for: info.properties[property.index], of: self)
            if case .link(let copy)? = stored?.first { transaction.setLink(column, key, to: copy) }
            return
        }
        target.sync()
        let child = transaction.createKeyless(target.table)
        core.didCreate(child, in: target.table)
        target.store(linked, at: child, in: transaction, withLinks: true)
        linked._bind(target, child)
        target.info.adopt(linked)
        transaction.setLink(column, key, to: child)
    }
}
