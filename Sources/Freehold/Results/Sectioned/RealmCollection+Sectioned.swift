import FreeholdEngine

extension RealmCollection {
    /// The elements in sections by what the closure gives for each of them.
    ///
    /// - Parameter sortDescriptors: The order of the elements, and so that of the sections; values by `"self"`.
    /// - Parameter block: Gives an element's section.
    /// - Precondition: there is a descriptor, and the key is no object.
    /// - Complexity: O(1); when the sections are read, that of the sort and n calls of the closure, once a version.
    public func sectioned<Key: _Persistable & Hashable>(
        by block: @escaping (Element) -> Key,
        sortDescriptors: [SortDescriptor]
    ) -> SectionedResults<Key, Element> {
        if sortDescriptors.isEmpty {
            programmerError("sectioned(by:) needs a sort descriptor at least, because sections stand in an order.")
        }
        return SectionedResults(query: SectionQuery(sorted(by: sortDescriptors)) { SectionIdentity(block($0)) })
    }

    /// The elements in sections by what the closure gives for each of them: see `sectioned(by:sortDescriptors:)`.
    public func sectioned<Key: _Persistable & Hashable>(
        sortDescriptors: [SortDescriptor],
        _ keyBlock: @escaping (Element) -> Key
    ) -> SectionedResults<Key, Element> {
        sectioned(by: keyBlock, sortDescriptors: sortDescriptors)
    }
}

extension RealmCollection where Element: KeypathSortable {
    /// The objects in sections of those with the same value of a property, the sections in the order of these values.
    ///
    /// - Precondition: the property can be sorted by.
    public func sectioned<Key: _Persistable & Hashable>(
        by keyPath: KeyPath<Element, Key>,
        ascending: Bool = true
    ) -> SectionedResults<Key, Element> {
        sectioned(
            by: keyPath,
            sortDescriptors: [SortDescriptor(keyPath: placedName(for: keyPath), ascending: ascending)]
        )
    }

    /// The objects in sections of those with the same value of a property.
    ///
    /// - Parameter sortDescriptors: The first is about the same property; the others say how the objects of a section
    ///   are sorted.
    /// - Parameter keyPath: The property whose values make the sections.
    /// - Precondition: the first descriptor is about the property.
    public func sectioned<Key: _Persistable & Hashable>(
        by keyPath: KeyPath<Element, Key>,
        sortDescriptors: [SortDescriptor]
    ) -> SectionedResults<Key, Element> {
        let name = placedName(for: keyPath)
        if let first = sortDescriptors.first, first.keyPath != name {
            programmerError(
                "The sections are by '\(name)', but the first sort descriptor is about '\(first.keyPath)'. Sort by '\(name)' first."
            )
        }
        // A stored value that stands for no value of an optional reads as nil.
        guard Key._rlmShape.isPartial, !(Key.self is any OptionalProtocol.Type) else {
            return sectioned(by: { $0[keyPath: keyPath] }, sortDescriptors: sortDescriptors)
        }
        let names = name.split(separator: ".").map(String.init)[...]
        return SectionedResults(
            query: SectionQuery(sorted(by: sortDescriptors)) { element in
                KeyValueCoding.object(element)?._content(at: names).map { SectionIdentity($0) }
                    ?? SectionIdentity(element[keyPath: keyPath])
            }
        )
    }
}

extension RealmCollection {
    /// The values in order, in sections by what the closure gives for each of them.
    ///
    /// - Precondition: a collection of values that can be sorted; of objects name what to sort by.
    public func sectioned<Key: _Persistable & Hashable>(
        by block: @escaping (Element) -> Key,
        ascending: Bool = true
    ) -> SectionedResults<Key, Element> {
        sectioned(by: block, sortDescriptors: [SortDescriptor(keyPath: "self", ascending: ascending)])
    }
}
