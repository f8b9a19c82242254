public import Foundation
import FreeholdEngine

/// The common interface of sections and of collections of sections.
public protocol RealmSectionedResult: RandomAccessCollection, Equatable, CustomStringConvertible where Index == Int {
    /// The realm of the elements, or `nil` for elements of an unmanaged collection.
    var realm: Realm? { get }
    /// A Boolean value that indicates whether the collection can't be used any more. It is then empty.
    var isInvalidated: Bool { get }
}

/// A live collection of sections, which contain the elements of a collection with the same key.
///
/// ```swift
/// let byLetter = people.sectioned(by: { $0.name.prefix(1).uppercased() }, sortDescriptors: ["name"])
/// for section in byLetter {
///     print(section.key, section.count)
///     for person in section { … }
/// }
/// ```
///
/// The sections are in the order of their first elements. Sectioned results belong to their realm's thread.
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
    /// The number of sections.
    ///
    /// - Complexity: O(1), or O(n) after a change of the realm.
    public var endIndex: Int { query.current().count }

    /// Returns the i-th section.
    ///
    /// - Precondition: The section exists.
    public subscript(i: Int) -> ResultsSection<Key, SectionElement> {
        let sections = query.current()
        if i < 0 || i >= sections.count {
            programmerError("Section \(i) is out of bounds: there are \(sections.count). Check `count` first.")
        }
        return ResultsSection(identity: sections[i].key, query: query)
    }

    /// Returns one element. The index path contains the position of the section and the position in the section.
    ///
    /// - Precondition: The element exists.
    public subscript(indexPath: IndexPath) -> SectionElement {
        guard indexPath.count == 2 else {
            programmerError("\(indexPath) names no element of a section: it needs a section and an item.")
        }
        return self[indexPath[0]][indexPath[1]]
    }

    /// Returns a Boolean value that indicates whether both were created by the same call.
    public static func == (a: Self, b: Self) -> Bool { a.query === b.query }

    /// A text with up to 100 keys, and up to 100 elements of each section.
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

/// A live collection of the elements with one key. A section is empty after its last element was removed. It has
/// elements again when elements with its key exist again.
public struct ResultsSection<Key: _Persistable & Hashable, SectionElement: RealmCollectionValue>:
    RealmSectionedResult, Identifiable
{
    public typealias Element = SectionElement
    public typealias Index = Int

    let identity: SectionIdentity<Key>
    let query: SectionQuery<Key, SectionElement>

    /// The common key of the elements.
    ///
    /// - Precondition: The stored content is a value of the type. A section for an enum property may have a raw value
    ///   that the enum doesn't have. The description of the section shows it.
    public var key: Key { identity.key }
    /// The key of the section.
    public var id: Key { key }
    public var realm: Realm? { query.results.realm }
    public var isInvalidated: Bool { query.results.isInvalidated }

    public var startIndex: Int { 0 }
    public var endIndex: Int { query.positions(of: identity).count }

    /// Returns the i-th element.
    ///
    /// - Precondition: The element exists.
    public subscript(i: Int) -> SectionElement {
        let positions = query.positions(of: identity)
        if i < 0 || i >= positions.count {
            programmerError(
                "Index \(i) is out of bounds: section \(identity) has \(positions.count) elements. Check `count` first."
            )
        }
        return query.results[positions[i]]
    }

    /// Returns an iterator over the present elements of the section. Later changes of the section don't affect it.
    public func makeIterator() -> SectionIterator<SectionElement> {
        let results = query.results
        return SectionIterator(elements: query.positions(of: identity).map { results[$0] })
    }

    /// Returns a Boolean value that indicates whether both are the section with one key in the same sectioned results.
    public static func == (a: Self, b: Self) -> Bool { a.query === b.query && a.identity == b.identity }

    /// A text with the first 100 elements.
    public var description: String {
        let text = query.results.textOfElement
        return CollectionDescription.text("ResultsSection<\(Key.self), \(SectionElement.self)>", count: count) {
            text(query.positions(of: identity)[$0])
        }
    }
}

/// An iterator over the elements that a section had when the iteration began.
public struct SectionIterator<Element: RealmCollectionValue>: IteratorProtocol {
    private var rest: ArraySlice<Element>

    init(elements: [Element]) { rest = elements[...] }

    public mutating func next() -> Element? { rest.popFirst() }
}

#if !canImport(Darwin)
    // The members that UIKit and AppKit add on Apple platforms.
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
