public import Foundation
import FreeholdEngine

/// What sections and collections of them have in common.
public protocol RealmSectionedResult: RandomAccessCollection, Equatable, CustomStringConvertible where Index == Int {
    /// The realm of the elements; nil for those of an unmanaged collection.
    var realm: Realm? { get }
    /// Whether the collection can't be used any more; it is empty then.
    var isInvalidated: Bool { get }
}

/// The elements of a collection in sections of those with the same key: live.
///
/// ```swift
/// let byLetter = people.sectioned(by: { $0.name.prefix(1).uppercased() }, sortDescriptors: ["name"])
/// for section in byLetter {
///     print(section.key, section.count)
///     for person in section { … }
/// }
/// ```
///
/// The sections stand in the order of their first elements. Belongs to its realm's thread.
public struct SectionedResults<Key: _Persistable & Hashable, SectionElement: RealmCollectionValue>:
    RealmSectionedResult
{
    public typealias Element = ResultsSection<Key, SectionElement>
    public typealias Index = Int

    let query: SectionQuery<Key, SectionElement>

    public var realm: Realm? { query.results.realm }
    public var isInvalidated: Bool { query.results.isInvalidated }

    /// The keys of all sections, in order.
    public var allKeys: [Key] { query.current().map(\.key.key) }

    public var startIndex: Int { 0 }
    /// - Complexity: O(1); O(n) after a change of the realm.
    public var endIndex: Int { query.current().count }

    /// The i-th section.
    ///
    /// - Precondition: there is one.
    public subscript(i: Int) -> ResultsSection<Key, SectionElement> {
        let sections = query.current()
        if i < 0 || i >= sections.count {
            programmerError("Section \(i) is out of bounds: there are \(sections.count). Check `count` first.")
        }
        return ResultsSection(identity: sections[i].key, query: query)
    }

    /// One element: by the section's position, then by its own in the section.
    ///
    /// - Precondition: there is one.
    public subscript(indexPath: IndexPath) -> SectionElement {
        guard indexPath.count == 2 else {
            programmerError("\(indexPath) names no element of a section: it needs a section and an item.")
        }
        return self[indexPath[0]][indexPath[1]]
    }

    /// Whether both were made by one call.
    public static func == (a: Self, b: Self) -> Bool { a.query === b.query }

    /// The keys and elements, up to 100 of each.
    public var description: String {
        let sections = query.current()
        return CollectionDescription.text(
            "SectionedResults<\(Key.self), \(SectionElement.self)>",
            count: sections.count
        ) {
            "\(sections[$0].key): \(sections[$0].positions.count) elements"
        }
    }
}

/// The elements of a collection with one key: live. A section whose last element goes is empty, and has elements again
/// when the key comes back.
public struct ResultsSection<Key: _Persistable & Hashable, SectionElement: RealmCollectionValue>:
    RealmSectionedResult, Identifiable
{
    public typealias Element = SectionElement
    public typealias Index = Int

    let identity: SectionIdentity<Key>
    let query: SectionQuery<Key, SectionElement>

    /// What its elements have in common.
    ///
    /// - Precondition: it stands for a value of the type: a section by an enum's property may have a raw value that the
    ///   enum doesn't have. The section's description shows it.
    public var key: Key { identity.key }
    /// The key.
    public var id: Key { key }
    public var realm: Realm? { query.results.realm }
    public var isInvalidated: Bool { query.results.isInvalidated }

    public var startIndex: Int { 0 }
    public var endIndex: Int { query.positions(of: identity).count }

    /// The i-th element.
    ///
    /// - Precondition: there is one.
    public subscript(i: Int) -> SectionElement {
        let positions = query.positions(of: identity)
        if i < 0 || i >= positions.count {
            programmerError(
                "Index \(i) is out of bounds: section \(identity) has \(positions.count) elements. Check `count` first."
            )
        }
        return query.results[positions[i]]
    }

    /// Walks the elements that the section has now, whatever happens to it meanwhile.
    public func makeIterator() -> SectionIterator<SectionElement> {
        let results = query.results
        return SectionIterator(elements: query.positions(of: identity).map { results[$0] })
    }

    /// Whether both are the section of one key of the same sectioned results.
    public static func == (a: Self, b: Self) -> Bool { a.query === b.query && a.identity == b.identity }

    /// The first 100 elements.
    public var description: String {
        let text = query.results.textOfElement
        return CollectionDescription.text("ResultsSection<\(Key.self), \(SectionElement.self)>", count: count) {
            text(query.positions(of: identity)[$0])
        }
    }
}

/// The elements that a section had when the iteration began.
public struct SectionIterator<Element: RealmCollectionValue>: IteratorProtocol {
    private var rest: ArraySlice<Element>

    init(elements: [Element]) { rest = elements[...] }

    public mutating func next() -> Element? { rest.popFirst() }
}

#if !canImport(Darwin)
    // What UIKit and AppKit add on other platforms.
    extension IndexPath {
        public init(item: Int, section: Int) { self = [section, item] }
        public init(row: Int, section: Int) { self = [section, row] }

        /// The position of the section.
        public var section: Int {
            get { self[0] }
            set { self[0] = newValue }
        }
        /// The position in the section.
        public var item: Int {
            get { self[1] }
            set { self[1] = newValue }
        }
        /// The position in the section.
        public var row: Int {
            get { self[1] }
            set { self[1] = newValue }
        }
    }
#endif
