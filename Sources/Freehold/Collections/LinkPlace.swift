import FreeholdEngine

/// A managed list of objects or of plain values, without its generic type. The value is valid during one call.
struct LinkPlace {
    let view: Unmanaged<DataView>
    let column: Unmanaged<Column>
    let state: UnsafeMutablePointer<TableState>
    let owner: ObjectKey
    let property: Int

    /// The table of the elements.
    var target: ManagedTable {
        state.pointee.table.unsafelyUnwrapped._withUnsafeGuaranteedRef { $0.target(of: property) }
    }

    var keys: [ObjectKey] {
        view._withUnsafeGuaranteedRef { view in
            column._withUnsafeGuaranteedRef { view.listLinks($0, owner) }
        }
    }

    /// Returns the i-th element, or nil if the index is out of bounds, and the number of elements.
    func object(_ i: Int) -> (object: ObjectBase?, count: Int) {
        let (key, count) = view._withUnsafeGuaranteedRef { view in
            column._withUnsafeGuaranteedRef { view.listLink($0, owner, ifAt: i) }
        }
        return (key.map { target.object($0) }, count)
    }

    /// Returns the i-th plain value, or nil if the index is out of bounds, and the number of elements.
    func value(_ i: Int) -> (value: Value?, count: Int) {
        view._withUnsafeGuaranteedRef { view in
            column._withUnsafeGuaranteedRef { column in
                let count = view.listCount(column, owner)
                return (i >= 0 && i < count ? view.listValue(column, owner, at: i) : nil, count)
            }
        }
    }

    /// Returns the i-th element of a list of `Int`, or nil if the index is out of bounds, and the number of elements.
    func int(_ i: Int) -> (value: Int64?, count: Int) {
        view._withUnsafeGuaranteedRef { view in
            column._withUnsafeGuaranteedRef { view.listInt($0, owner, ifAt: i) }
        }
    }

    /// Returns all elements, if their type has a direct conversion, and nil for other types.
    @inline(__always)
    func elements<Element>(_ type: Element.Type) -> [Element]? {
        func read<Stored>(_ body: (DataView, Column) -> [Stored]) -> [Element] {
            let found = view._withUnsafeGuaranteedRef { view in column._withUnsafeGuaranteedRef { body(view, $0) } }
            return unsafeBitCast(found, to: [Element].self)
        }
        if Element.self == Int.self { return read { $0.listInts($1, owner) } }
        if Element.self == Double.self { return read { $0.listDoubles($1, owner) } }
        if Element.self == String.self { return read { $0.listStrings($1, owner) } }
        return nil
    }

    /// Appends a plain value. Returns false, and changes nothing, if the value can't be stored or no transaction is
    /// open.
    func append(_ value: Value) -> Bool {
        guard let transaction = state.pointee.transaction else { return false }
        if case .timestamp(let moment) = value, !moment.isValid { return false }
        state.pointee.core.unsafelyUnwrapped._withUnsafeGuaranteedRef { $0.willChange() }
        return transaction._withUnsafeGuaranteedRef { transaction in
            column._withUnsafeGuaranteedRef { column in
                if transaction.listAppendOpen(column, owner, value: value)
                    || transaction.listAppendInline(column, owner, value: value)
                {
                    return true
                }
                do throws(EngineError) {
                    try transaction.listAppend(column, owner, values: [value])
                    return true
                } catch {
                    return false
                }
            }
        }
    }

    /// Appends an object whose row is known to exist. Returns false, and changes nothing, for other objects or if no
    /// transaction is open.
    func append(_ object: ObjectBase) -> Bool {
        guard let transaction = state.pointee.transaction,
            state.pointee.table.unsafelyUnwrapped._withUnsafeGuaranteedRef({ $0.isTarget(object, of: property) })
        else { return false }
        state.pointee.core.unsafelyUnwrapped._withUnsafeGuaranteedRef { $0.willChange() }
        transaction._withUnsafeGuaranteedRef { transaction in
            column._withUnsafeGuaranteedRef { transaction.listAppend($0, owner, link: object._key) }
        }
        return true
    }
}
