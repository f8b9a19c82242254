#if canImport(SwiftUI) || SwiftUIShapes
    public import Foundation
    #if canImport(SwiftUI)
        public import SwiftUI
    #else
        public import SwiftUIShapes
    #endif
    public import Freehold
    import FreeholdCombine

    /// The sections of results. They are computed from the frozen results of the query.
    private final class Sections<Key: _Persistable & Hashable, Element: RealmFetchable & KeypathSortable> {
        private let make: (Results<Element>, [Freehold.SortDescriptor]) -> SectionedResults<Key, Element>
        private var last: (of: Results<Element>, sorted: [Freehold.SortDescriptor], SectionedResults<Key, Element>)?

        init(_ make: @escaping (Results<Element>, [Freehold.SortDescriptor]) -> SectionedResults<Key, Element>) {
            self.make = make
        }

        func sections(
            of results: Results<Element>,
            sortedBy descriptors: [Freehold.SortDescriptor]
        ) -> SectionedResults<Key, Element> {
            if let last, last.of == results, last.sorted == descriptors { return last.2 }
            let sections = make(results, descriptors)
            last = (results, descriptors, sections)
            return sections
        }
    }

    /// The objects of a class in sections, which a view shows. The view is evaluated again after each change.
    ///
    /// ```swift
    /// @ObservedSectionedResults(Dog.self, sectionKeyPath: \.breed) var dogs
    ///
    /// ForEach(dogs) { section in
    ///     Section(header: Text(section.key)) {
    ///         ForEach(section) { dog in DogRow(dog: dog) }
    ///             .onDelete { $dogs.remove(atOffsets: $0, section: section) }
    ///     }
    /// }
    /// ```
    /// The sections and their objects are frozen. The rules of ``ObservedResults`` apply.
    ///
    /// - Precondition: Sections by a closure have at least one sort descriptor. The first sort descriptor of sections by a
    ///   key path is about that key path.
    @preconcurrency @MainActor @propertyWrapper
    public struct ObservedSectionedResults<Key: _Persistable & Hashable, ResultType>: DynamicProperty, BoundCollection
    where ResultType: _ObservedResultsValue & RealmFetchable & KeypathSortable & Identifiable {
        public typealias Element = ResultType

        @Environment(\.realmConfiguration) private var configuration
        @ObservedObject private var storage: QueryStorage<ResultType>
        @State private var choices = QueryChoices<ResultType>()
        private let sections: Sections<Key, ResultType>

        private init(
            _ sections: Sections<Key, ResultType>,
            _ configuration: Realm.Configuration?,
            filter: QueryChoices<ResultType>.Filter,
            sortDescriptors: [Freehold.SortDescriptor],
            keyPaths: [String]?
        ) {
            self.sections = sections
            _storage = ObservedObject(
                wrappedValue: QueryStorage(
                    configuration,
                    filter: filter,
                    sortDescriptors: sortDescriptors,
                    keyPaths: keyPaths,
                    isSorted: false
                )
            )
        }

        private static func by(_ keyPath: KeyPath<ResultType, Key>) -> Sections<Key, ResultType> {
            Sections { results, descriptors in
                descriptors.isEmpty
                    ? results.sectioned(by: keyPath) : results.sectioned(by: keyPath, sortDescriptors: descriptors)
            }
        }

        private static func by(
            _ block: @escaping (ResultType) -> Key,
            _ descriptors: [Freehold.SortDescriptor]
        ) -> Sections<Key, ResultType> {
            precondition(
                !descriptors.isEmpty,
                "sortDescriptors must not be empty when sectioning ObservedSectionedResults with `sectionBlock`"
            )
            return Sections { results, descriptors in results.sectioned(by: block, sortDescriptors: descriptors) }
        }

        /// Creates sections by a key path, of the objects that match a predicate.
        ///
        /// - Parameters:
        ///   - type: The class of the objects or projections.
        ///   - sectionKeyPath: The property whose values are the keys of the sections.
        ///   - sortDescriptors: The order of the objects. The first one is about the property of the sections.
        ///   - filter: The predicate, or `nil` for all objects.
        ///   - keyPaths: The key paths on which a change of an object counts. If it is `nil`, each change counts.
        ///   - configuration: The configuration of the realm. If it is `nil`, that of the environment is used.
        public init(
            _ type: ResultType.Type,
            sectionKeyPath: KeyPath<ResultType, Key>,
            sortDescriptors: [Freehold.SortDescriptor] = [],
            filter: NSPredicate? = nil,
            keyPaths: [String]? = nil,
            configuration: Realm.Configuration? = nil
        ) {
            self.init(
                Self.by(sectionKeyPath),
                configuration,
                filter: .predicate(filter),
                sortDescriptors: sortDescriptors,
                keyPaths: keyPaths
            )
        }

        /// Creates sections by a key path, of the objects that match a query.
        public init(
            _ type: ResultType.Type,
            sectionKeyPath: KeyPath<ResultType, Key>,
            sortDescriptors: [Freehold.SortDescriptor] = [],
            where: ((Query<ResultType>) -> Query<Bool>)?,
            keyPaths: [String]? = nil,
            configuration: Realm.Configuration? = nil
        ) {
            self.init(
                Self.by(sectionKeyPath),
                configuration,
                filter: .closure(`where`),
                sortDescriptors: sortDescriptors,
                keyPaths: keyPaths
            )
        }

        /// Creates sections by a closure, of the objects that match a predicate.
        ///
        /// - Parameters:
        ///   - type: The class of the objects or projections.
        ///   - sectionBlock: A closure that returns the key of the section of an object.
        ///   - sortDescriptors: The order of the objects, in which those of a section are next to each other.
        ///   - filter: The predicate, or `nil` for all objects.
        ///   - keyPaths: The key paths on which a change of an object counts. If it is `nil`, each change counts.
        ///   - configuration: The configuration of the realm. If it is `nil`, that of the environment is used.
        public init(
            _ type: ResultType.Type,
            sectionBlock: @escaping (ResultType) -> Key,
            sortDescriptors: [Freehold.SortDescriptor],
            filter: NSPredicate? = nil,
            keyPaths: [String]? = nil,
            configuration: Realm.Configuration? = nil
        ) {
            self.init(
                Self.by(sectionBlock, sortDescriptors),
                configuration,
                filter: .predicate(filter),
                sortDescriptors: sortDescriptors,
                keyPaths: keyPaths
            )
        }

        /// Creates sections by a closure, of the objects that match a query.
        public init(
            _ type: ResultType.Type,
            sectionBlock: @escaping (ResultType) -> Key,
            sortDescriptors: [Freehold.SortDescriptor] = [],
            where: ((Query<ResultType>) -> Query<Bool>)?,
            keyPaths: [String]? = nil,
            configuration: Realm.Configuration? = nil
        ) {
            self.init(
                Self.by(sectionBlock, sortDescriptors),
                configuration,
                filter: .closure(`where`),
                sortDescriptors: sortDescriptors,
                keyPaths: keyPaths
            )
        }

        /// The frozen sections.
        public var wrappedValue: SectionedResults<Key, ResultType> {
            let storage = prepared
            return sections.sections(of: storage.frozen, sortedBy: storage.sortDescriptors)
        }

        public var projectedValue: Self { self }

        /// The predicate of the results. It replaces ``where``.
        public var filter: NSPredicate? {
            get { prepared.predicate }
            nonmutating set { prepared.predicate = newValue }
        }

        /// The query of the results. It replaces ``filter``.
        public var `where`: ((Query<ResultType>) -> Query<Bool>)? {
            get { prepared.closure }
            nonmutating set { prepared.closure = newValue }
        }

        /// The order of the objects.
        public var sortDescriptors: [Freehold.SortDescriptor] {
            get { prepared.sortDescriptors }
            nonmutating set { prepared.sortDescriptors = newValue }
        }

        /// The storage with the present environment and choices.
        private var prepared: QueryStorage<ResultType> { storage.prepared(configuration, choices) }

        nonisolated public func update() { MainActor.assumeIsolated { _ = prepared } }
    }

    extension ObservedSectionedResults where ResultType: ObjectBase {
        /// Deletes the objects at positions of a section. Objects that were deleted are ignored.
        public func remove(atOffsets offsets: IndexSet, section: ResultsSection<Key, ResultType>) {
            let objects = offsets.filter { $0 < section.count }.map { section[$0] }
            write(to: prepared.frozen) { results in results.realm?.delete(objects.compactMap(\.live)) }
        }
    }

    extension ObservedSectionedResults: _SearchedResults where ResultType: ObjectBase {
        public func _search(_ text: String, on keyPath: KeyPath<ResultType, String>) {
            prepared.search(text, on: keyPath)
        }
    }
#endif
