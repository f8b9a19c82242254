// Comparing sets, and making others of them. The other one may be managed, unmanaged or any sequence.

extension MutableSet {
    /// Whether the other has every element of this one. - Complexity: O(n log m)
    public func isSubset<S: Sequence>(of other: S) -> Bool where S.Element == Element {
        let other = UniqueElements(other)
        return count <= other.count && allSatisfy { other.contains($0) }
    }

    /// Whether this one has every element of the other. - Complexity: O(m log n)
    public func isSuperset<S: Sequence>(of other: S) -> Bool where S.Element == Element {
        other.allSatisfy { contains($0) }
    }

    /// Whether the other has every element of this one, and more.
    public func isStrictSubset<S: Sequence>(of other: S) -> Bool where S.Element == Element {
        let other = UniqueElements(other)
        return count < other.count && allSatisfy { other.contains($0) }
    }

    /// Whether this one has every element of the other, and more.
    public func isStrictSuperset<S: Sequence>(of other: S) -> Bool where S.Element == Element {
        let other = UniqueElements(other)
        return count > other.count && other.elements.allSatisfy { contains($0) }
    }

    /// Whether there is an element that both have.
    public func intersects<S: Sequence>(_ other: S) -> Bool where S.Element == Element {
        other.contains { contains($0) }
    }

    /// Whether there is no element that both have.
    public func isDisjoint<S: Sequence>(with other: S) -> Bool where S.Element == Element { !intersects(other) }

    /// The elements of either, as a plain set.
    public func union<S: Sequence>(_ other: S) -> Set<Element> where S.Element == Element { Set(self).union(other) }

    /// The elements that both have, as a plain set.
    public func intersection<S: Sequence>(_ other: S) -> Set<Element> where S.Element == Element {
        let other = UniqueElements(other)
        return Set(filter { other.contains($0) } as [Element])
    }

    /// The elements that the other doesn't have, as a plain set.
    public func subtracting<S: Sequence>(_ other: S) -> Set<Element> where S.Element == Element {
        let other = UniqueElements(other)
        return Set(filter { !other.contains($0) } as [Element])
    }

    /// The elements that only one of the two has, as a plain set.
    public func symmetricDifference<S: Sequence>(_ other: S) -> Set<Element> where S.Element == Element {
        let other = UniqueElements(other)
        let own = filter { !other.contains($0) } as [Element]
        return Set(own).union(other.elements.filter { !contains($0) })
    }
}
