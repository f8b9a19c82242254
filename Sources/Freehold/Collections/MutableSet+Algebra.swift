// Comparisons and combinations of sets. The other set may be managed, unmanaged or any sequence.

extension MutableSet {
    /// Returns a Boolean value that indicates whether the other set contains all elements of this set.
    ///
    /// - Complexity: O(n log m)
    public func isSubset<S: Sequence>(of other: S) -> Bool where S.Element == Element {
        let other = UniqueElements(other)
        return count <= other.count && allSatisfy { other.contains($0) }
    }

    /// Returns a Boolean value that indicates whether this set contains all elements of the other set.
    ///
    /// - Complexity: O(m log n)
    public func isSuperset<S: Sequence>(of other: S) -> Bool where S.Element == Element {
        other.allSatisfy { contains($0) }
    }

    /// Returns a Boolean value that indicates whether the other set contains all elements of this set and additional
    /// elements.
    public func isStrictSubset<S: Sequence>(of other: S) -> Bool where S.Element == Element {
        let other = UniqueElements(other)
        return count < other.count && allSatisfy { other.contains($0) }
    }

    /// Returns a Boolean value that indicates whether this set contains all elements of the other set and additional
    /// elements.
    public func isStrictSuperset<S: Sequence>(of other: S) -> Bool where S.Element == Element {
        let other = UniqueElements(other)
        return count > other.count && other.elements.allSatisfy { contains($0) }
    }

    /// Returns a Boolean value that indicates whether the sets have a common element.
    public func intersects<S: Sequence>(_ other: S) -> Bool where S.Element == Element {
        other.contains { contains($0) }
    }

    /// Returns a Boolean value that indicates whether the sets have no common element.
    public func isDisjoint<S: Sequence>(with other: S) -> Bool where S.Element == Element { !intersects(other) }

    /// Returns a plain set of the elements of both sets.
    public func union<S: Sequence>(_ other: S) -> Set<Element> where S.Element == Element { Set(self).union(other) }

    /// Returns a plain set of the common elements.
    public func intersection<S: Sequence>(_ other: S) -> Set<Element> where S.Element == Element {
        let other = UniqueElements(other)
        return Set(filter { other.contains($0) } as [Element])
    }

    /// Returns a plain set of the elements that the other set doesn't contain.
    public func subtracting<S: Sequence>(_ other: S) -> Set<Element> where S.Element == Element {
        let other = UniqueElements(other)
        return Set(filter { !other.contains($0) } as [Element])
    }

    /// Returns a plain set of the elements that only one of the two sets contains.
    public func symmetricDifference<S: Sequence>(_ other: S) -> Set<Element> where S.Element == Element {
        let other = UniqueElements(other)
        let own = filter { !other.contains($0) } as [Element]
        return Set(own).union(other.elements.filter { !contains($0) })
    }
}
