import FreeholdEngine

// Changes of a set. Each call makes all of its changes or none. A managed set can be changed only inside a write
// transaction.

extension MutableSet {
    /// Inserts an element, unless the set contains an equal one.
    ///
    /// - Returns: `true` if the element was inserted.
    /// - Complexity: O(log n)
    @discardableResult
    @_specialize(where Element == String)
    @_specialize(where Element == Int)
    @_specialize(where Element == Double)
    public func insert(_ element: Element) -> Bool {
        guard let at = place() else { return insertUnmanaged(element) }
        _ = at.table.core.requireWrite()
        guard let values = at.stored([Element._rlmContent(element)]) else { return false }
        return at.change { tx throws(EngineError) in try tx.setInsert(at.column, at.owner, value: values[0]) } ?? false
    }

    /// Inserts several elements.
    ///
    /// - Complexity: O(k log n) for few elements, O(n + k log k) for many
    public func insert<S: Sequence>(objectsIn elements: S) where S.Element == Element {
        guard let at = place() else {
            for element in Array(elements) { insertUnmanaged(element) }
            return
        }
        _ = at.table.core.requireWrite()
        guard let values = at.stored(contents(of: elements)) else { return }
        _ = at.change { tx throws(EngineError) in try tx.setInsert(at.column, at.owner, values: values) }
    }

    /// Removes an element. An object stays in the realm.
    ///
    /// - Returns: `true` if the set contained the element.
    /// - Complexity: O(log n)
    @discardableResult
    public func remove(_ element: Element) -> Bool {
        guard let at = place() else { return removeUnmanaged(element) }
        _ = at.table.core.requireWrite()
        guard let value = at.sought(Element._rlmContent(element)) else { return false }
        return at.change { tx in tx.setRemove(at.column, at.owner, value: value) } ?? false
    }

    /// Removes all elements. Objects stay in the realm.
    public func removeAll() {
        guard let at = place() else {
            items.removeAll()
            kept = nil
            return
        }
        _ = at.change { tx in tx.listClear(at.column, at.owner) }
    }

    @discardableResult
    private func insertUnmanaged(_ element: Element) -> Bool {
        guard let kept else { return items.insert(element) }
        guard kept.index(of: element) == nil else { return false }
        self.kept?.append(Element._rlmContent(element))
        return true
    }

    @discardableResult
    private func removeUnmanaged(_ element: Element) -> Bool {
        guard let kept else { return items.remove(element) }
        guard let i = kept.index(of: element) else { return false }
        self.kept?.remove(at: i)
        return true
    }

    // MARK: Algebra in place

    /// Inserts the elements of another set, managed or not, or of any sequence.
    public func formUnion<S: Sequence>(_ other: S) where S.Element == Element { insert(objectsIn: other) }

    /// Removes the elements that another set, managed or not, or a sequence doesn't contain.
    public func formIntersection<S: Sequence>(_ other: S) where S.Element == Element {
        guard let at = place() else {
            let other = UniqueElements(other)
            kept?.removeAll { content in Element._rlmFromContent(content).map { !other.contains($0) } ?? true }
            for element in items.elements where !other.contains(element) { items.remove(element) }
            return
        }
        _ = at.table.core.requireWrite()
        let values = contents(of: other).compactMap { at.sought($0) }
        _ = at.change { tx in tx.setIntersect(at.column, at.owner, values: values) }
    }

    /// Removes the elements of another set, managed or not, or of any sequence.
    public func subtract<S: Sequence>(_ other: S) where S.Element == Element {
        guard let at = place() else {
            for element in Array(other) { removeUnmanaged(element) }
            return
        }
        _ = at.table.core.requireWrite()
        let values = contents(of: other).compactMap { at.sought($0) }
        _ = at.change { tx in tx.setRemove(at.column, at.owner, values: values) }
    }

    /// Removes the elements that the other set contains, and inserts the elements that only the other set contains.
    public func formSymmetricDifference<S: Sequence>(_ other: S) where S.Element == Element {
        let other = Array(UniqueElements(other).elements)
        let common = other.filter { contains($0) }
        insert(objectsIn: other)
        subtract(common)
    }

    // MARK: Assigning

    /// Implements assignment to a set property: replaces the elements with those of another set. Does nothing if both
    /// are the same set.
    func assign(_ other: MutableSet) {
        if isSame(as: other) { return }
        let contents = contents(of: other)
        if Element._rlmShape.isPartial, home == nil, assignContents(.list(contents)) { return }
        assign(contents, elements: { Array(other) })
    }

    /// - Parameter elements: Returns the same elements for an unmanaged set.
    func assign(_ contents: [_StoredContent], elements: () -> [Element]) {
        guard let at = place() else {
            let elements = elements()
            items.removeAll()
            kept = nil
            for element in elements { items.insert(element) }
            return
        }
        _ = at.table.core.requireWrite()
        guard let values = at.stored(contents) else { return }
        _ = at.change { tx throws(EngineError) in try tx.setAssign(at.column, at.owner, values: values) }
    }

    private func contents<S: Sequence>(of elements: S) -> [_StoredContent] where S.Element == Element {
        if let set = elements as? MutableSet<Element>, case .list(let contents) = set.content { return contents }
        return elements.map { Element._rlmContent($0) }
    }
}

/// The elements of a sequence, for look-ups.
struct UniqueElements<Element: RealmCollectionValue> {
    private let other: MutableSet<Element>?
    private var unmanaged = UnmanagedSet<Element>()

    init<S: Sequence>(_ elements: S) where S.Element == Element {
        other = elements as? MutableSet<Element>
        if other == nil { for element in elements { unmanaged.insert(element) } }
    }

    var count: Int { other?.count ?? unmanaged.elements.count }
    var elements: AnySequence<Element> { other.map { AnySequence($0) } ?? AnySequence(unmanaged.elements) }

    func contains(_ element: Element) -> Bool {
        guard let other else { return unmanaged.position(of: element) != nil }
        return other.contains(element)
    }
}
