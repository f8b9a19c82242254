import FreeholdEngine

/// A managed list of objects or of plain values, in terms that don't name its type. Valid during one call.
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

    /// The i-th element, nil out of bounds, and the number of them.
    func object(_ i: Int) -> (object: ObjectBase?, count: Int) {
        let (key, count) = view._withUnsafeGuaranteedRef { view in
            column._withUnsafeGuaranteedRef { view.listLink($0, owner, ifAt: i) }
        }
        return (key.map { target.object($0) }, count)
    }

    /// The i-th plain value, nil out of bounds, and the number of them.
    func value(_ i: Int) -> (value: Value?, count: Int) {
        view._withUnsafeGuaranteedRef { view in
            column._withUnsafeGuaranteedRef { column in
                let count = view.listCount(column, owner)
                return (i >= 0 && i < count ? view.listValue(column, owner, at: i) : nil, count)
            }
        }
    }

    /// The i-th element of a list of `Int`, nil out of bounds, and the number of elements.
    func int(_ i: Int) -> (value: Int64?, count: Int) {
        view._withUnsafeGuaranteedRef { view in
            column._withUnsafeGuaranteedRef { view.listInt($0, owner, ifAt: i) }
        }
    }

    /// All elements, of the types that are made without asking the type how; nil of others.
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

    /// Appends a plain value; false, with nothing changed, if it can't be stored, or outside a transaction.
    func append(_ value: Value) -> Bool {
        guard let transaction = state.pointee.transaction else { return false }
        if case .timestamp(let moment) = value, !moment.isValid { return false }
        state.pointee.core.unsafelyUnwrapped._withUnsafeGuaranteedRef { $0.willChange() }
        return transaction._withUnsafeGuaranteedRef { transaction in
            column._withUnsafeGuaranteedRef { column in
                if transaction.listAppendOpen(column, owner, value)
                    || transaction.listAppendInline(column, owner, value)
                {
                    return true
                }
                do throws(EngineError) {
                    try transaction.listAppend(column, owner, [value])
                    return true
                } catch {
                    return false
                }
            }
        }
    }

    /// Appends an object that is a row known to live; false, with nothing changed, if it isn't, or outside a
    /// transaction.
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
