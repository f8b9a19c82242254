import FreeholdEngine
public import Foundation

// Changes of a list. Each call makes all of its changes or none. A managed list can be changed only inside a write
// transaction.

extension List {
    /// Runs an engine call on a managed list. Errors of the data are recorded.
    func change(
        _ at: Place,
        _ body: (WriteTransaction) throws(EngineError) -> Void
    ) {
        let transaction = at.table.core.requireWrite()
        do throws(EngineError) {
            try body(transaction)
        } catch {
            at.table.core.record(Realm.Error(error, className: placeName?.className, property: placeName?.property))
        }
    }

    /// Returns the stored forms of elements. Unmanaged objects are added to the realm. Returns nil if an element can't
    /// be stored. The error is recorded.
    private func stored(_ elements: some Collection<Element>) -> [Value]? {
        guard let info = placeProperty else { return nil }
        if info.property.shape.holdsPlainValues {
            // Plain values need no plan. The engine checks them.
            var values: [Value] = []
            values.reserveCapacity(elements.count)
            for element in elements {
                guard case .value(let value) = Element._rlmContent(element) else { break }
                values.append(value)
            }
            if values.count == elements.count { return values }
        }
        return info.table.core.store(elements.map { Element._rlmContent($0) }, for: info.property, of: info.table)
    }

    /// Appends an element.
    ///
    /// - Complexity: O(log n)
    @_specialize(where Element == String)
    @_specialize(where Element == Int)
    @_specialize(where Element == Double)
    public func append(_ element: Element) {
        // `linkPlace` is nil unless the elements are objects.
        if let at = linkPlace(),
            withUnsafePointer(to: element, { at.append(UnsafeRawPointer($0).load(as: ObjectBase.self)) })
        {
            return
        }
        if let at = plainPlace(), case .value(let value) = Element._rlmContent(element), at.append(value) { return }
        append(objectsIn: CollectionOfOne(element))
    }

    @_specialize(where Element == String, S == [String])
    @_specialize(where Element == Int, S == [Int])
    @_specialize(where Element == Double, S == [Double])
    public func append<S: Sequence>(objectsIn elements: S) where S.Element == Element {
        guard let at = place() else {
            if kept != nil { return kept!.append(contentsOf: elements.map { Element._rlmContent($0) }) }
            items.append(contentsOf: elements)
            return
        }
        _ = at.table.core.requireWrite()
        guard let values = stored(Array(elements)) else { return }
        change(at) { tx throws(EngineError) in try at.append(values, tx) }
    }

    /// Inserts an element before the i-th element. If `i == count`, appends it.
    public func insert(_ element: Element, at i: Int) { insert(contentsOf: CollectionOfOne(element), at: i) }

    public func insert<C: Collection>(contentsOf elements: C, at i: Int) where C.Element == Element {
        checkPosition(i, of: count)
        guard let at = place() else {
            if kept != nil { return kept!.insert(contentsOf: elements.map { Element._rlmContent($0) }, at: i) }
            items.insert(contentsOf: elements, at: i)
            return
        }
        _ = at.table.core.requireWrite()
        guard let values = stored(Array(elements)) else { return }
        change(at) { tx throws(EngineError) in try at.insert(values, at: i, tx) }
    }

    func set(_ i: Int, _ element: Element) {
        checkElement(i, of: count)
        guard let at = place() else {
            if kept != nil { kept![i] = Element._rlmContent(element) } else { items[i] = element }
            return
        }
        _ = at.table.core.requireWrite()
        if isEmbedded(element, at: i, at) { return }
        if at.isThere(element as? AnyRealmValue, at: i) { return }
        guard let values = stored(CollectionOfOne(element)) else { return }
        change(at) { tx throws(EngineError) in try at.set(values[0], at: i, tx) }
    }

    /// Returns a Boolean value that indicates whether the element is the embedded object that is already at the index.
    /// Assigning it again changes nothing.
    private func isEmbedded(_ element: Element, at i: Int, _ at: Place) -> Bool {
        guard let elementTable, elementTable.info.isEmbedded, let object = element as? ObjectBase,
            object._core === core, object._state == elementTable.state
        else { return false }
        return at.view.listLink(at.column, owner, at: i) == object._key
    }

    /// Replaces the element at an index.
    public func replace(index: Int, object: Element) { set(index, object) }

    /// Replaces a range of elements with any number of new elements.
    public func replaceSubrange<C: Collection>(_ range: Range<Int>, with elements: C) where C.Element == Element {
        checkRange(range, count)
        guard let at = place() else {
            if kept != nil { return kept!.replaceSubrange(range, with: elements.map { Element._rlmContent($0) }) }
            items.replaceSubrange(range, with: elements)
            return
        }
        _ = at.table.core.requireWrite()
        guard let values = stored(Array(elements)) else { return }
        change(at) { tx throws(EngineError) in
            try at.replace(range, with: values, tx)
        }
    }

    public func replaceSubrange<C: Collection, R: RangeExpression>(_ range: R, with elements: C)
    where C.Element == Element, R.Bound == Int {
        replaceSubrange(range.relative(to: self), with: elements)
    }

    // MARK: Removing

    public func remove(at i: Int) {
        checkElement(i, of: count)
        removeSubrange(i..<(i + 1))
    }

    public func removeSubrange(_ range: Range<Int>) {
        checkRange(range, count)
        guard let at = place() else {
            if kept != nil { kept!.removeSubrange(range) } else { items.removeSubrange(range) }
            return
        }
        change(at) { tx throws(EngineError) in try at.remove(range, tx) }
    }

    public func removeSubrange<R: RangeExpression>(_ range: R) where R.Bound == Int {
        removeSubrange(range.relative(to: self))
    }

    /// Removes the first elements.
    ///
    /// - Precondition: The list has at least this number of elements.
    public func removeFirst(_ number: Int = 1) {
        checkRemoval(number)
        removeSubrange(0..<number)
    }

    /// Removes the last elements.
    ///
    /// - Precondition: The list has at least this number of elements.
    public func removeLast(_ number: Int = 1) {
        checkRemoval(number)
        let count = count
        removeSubrange((count - number)..<count)
    }

    private func checkRemoval(_ number: Int) {
        let count = count
        if number < 0 || number > count {
            programmerError("\(number) elements can't be removed: \(typeName) has \(count). Check `count` first.")
        }
    }

    /// Removes all elements. Their objects stay in the realm.
    public func removeAll() {
        guard let at = place() else {
            items.removeAll()
            kept = nil
            return
        }
        change(at) { tx throws(EngineError) in try at.clear(tx) }
    }

    /// Removes the elements at these positions.
    public func remove(atOffsets offsets: IndexSet) {
        let count = count
        for i in offsets { checkElement(i, of: count) }
        for range in offsets.rangeView.reversed() { removeSubrange(range) }
    }

    // MARK: Moving

    /// Moves the element at `from` so that its new index is `to`.
    public func move(from: Int, to: Int) {
        let count = count
        checkElement(from, of: count)
        checkElement(to, of: count)
        guard from != to else { return }
        guard let at = place() else {
            if kept != nil {
                kept!.insert(kept!.remove(at: from), at: to)
            } else {
                items.insert(items.remove(at: from), at: to)
            }
            return
        }
        change(at) { tx throws(EngineError) in try at.move(from: from, to: to, tx) }
    }

    /// Moves the elements at these positions, in their order, before the element that is at `destination` before the
    /// move.
    public func move(fromOffsets offsets: IndexSet, toOffset destination: Int) {
        let count = count
        checkPosition(destination, of: count)
        for i in offsets { checkElement(i, of: count) }
        // The elements are moved one at a time. Those from before the destination are moved in descending order, so
        // that a move doesn't shift the positions of the next.
        var target = destination
        for i in offsets.filter({ $0 < destination }).reversed() {
            target -= 1
            move(from: i, to: target)
        }
        target = destination
        for i in offsets where i >= destination {
            move(from: i, to: target)
            target += 1
        }
    }

    public func swapAt(_ i: Int, _ j: Int) {
        let count = count
        checkElement(i, of: count)
        checkElement(j, of: count)
        guard i != j else { return }
        guard let at = place() else {
            if kept != nil { kept!.swapAt(i, j) } else { items.swapAt(i, j) }
            return
        }
        change(at) { tx throws(EngineError) in try at.swap(i, and: j, in: tx) }
    }

    // MARK: Assigning

    /// Implements assignment to a list property: replaces the elements with those of another list. Does nothing if both
    /// are the same list.
    func assign(_ other: List) {
        if isSame(as: other) { return }
        if Element._rlmShape.isPartial, case .list(let contents) = other.content {
            if isManaged { return assign(contents) }
            if assignContents(.list(contents)) { return }
        }
        assign(elements: other.elements_)
    }

    /// Replaces the elements of a managed list with stored contents, even if some of them aren't values of the element
    /// type.
    func assign(_ contents: [_StoredContent]) {
        guard let at = place(), let info = placeProperty else { return }
        _ = at.table.core.requireWrite()
        guard let values = at.table.core.store(contents, for: info.property, of: info.table) else { return }
        change(at) { tx throws(EngineError) in try at.assign(values, tx) }
    }

    func assign(elements: [Element]) {
        guard let at = place() else {
            items = elements
            kept = nil
            return
        }
        _ = at.table.core.requireWrite()
        guard let values = stored(elements) else { return }
        change(at) { tx throws(EngineError) in try at.assign(values, tx) }
    }
}
