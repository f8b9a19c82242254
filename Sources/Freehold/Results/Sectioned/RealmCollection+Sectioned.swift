import FreeholdEngine

extension RealmCollection {
    /// Returns the elements in sections. The closure returns the key of each element's section.
    ///
    /// - Parameter sortDescriptors: The order of the elements, and so of the sections. For values, the name is
    ///   `"self"`.
    /// - Parameter block: Returns the key of an element's section.
    /// - Precondition: At least one descriptor is given, and the key isn't an object.
    /// - Complexity: O(1) for the call. When the sections are read, that of the sort and n calls of the closure, once
    ///   for each version.
    public func sectioned<Key: _Persistable & Hashable>(
        by block: @escaping (Element) -> Key,
        sortDescriptors: [SortDescriptor]
    ) -> SectionedResults<Key, Element> {
        if sortDescriptors.isEmpty {
            programmerError("sectioned(by:) needs a sort descriptor at least, because sections stand in an order.")
        }
        return SectionedResults(query: SectionQuery(sorted(by: sortDescriptors)) { SectionIdentity(block($0)) })
    }

    /// Returns the elements in sections by the results of the closure. See `sectioned(by:sortDescriptors:)`.
    public func sectioned<Key: _Persistable & Hashable>(
        sortDescriptors: [SortDescriptor],
        _ keyBlock: @escaping (Element) -> Key
    ) -> SectionedResults<Key, Element> {
        sectioned(by: keyBlock, sortDescriptors: sortDescriptors)
    }
}

extension RealmCollection where Element: KeypathSortable {
    /// Returns the objects in sections with equal values of a property. The sections are in the order of these values.
    ///
    /// - Precondition: The property can be used for a sort.
    public func sectioned<Key: _Persistable & Hashable>(
        by keyPath: KeyPath<Element, Key>,
        ascending: Bool = true
    ) -> SectionedResults<Key, Element> {
        sectioned(
            by: keyPath,
            sortDescriptors: [SortDescriptor(keyPath: placedName(for: keyPath), ascending: ascending)]
        )
    }

    /// Returns the objects in sections with equal values of a property.
    ///
    /// - Parameter sortDescriptors: The first descriptor sorts by the same property. The remaining descriptors sort the
    ///   objects of a section.
    /// - Parameter keyPath: The property whose values are the keys of the sections.
    /// - Precondition: The first descriptor sorts by the property.
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
        // For an optional property, a stored value that isn't a value of the type reads as nil.
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
    /// Returns the sorted values in sections by the results of the closure.
    ///
    /// - Precondition: The values can be sorted. For objects, use a sort descriptor instead.
    public func sectioned<Key: _Persistable & Hashable>(
        by block: @escaping (Element) -> Key,
        ascending: Bool = true
    ) -> SectionedResults<Key, Element> {
        sectioned(by: block, sortDescriptors: [SortDescriptor(keyPath: "self", ascending: ascending)])
    }
}
