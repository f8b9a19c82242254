#if canImport(SwiftUI) || SwiftUIShapes
    public import Foundation
    #if canImport(SwiftUI)
        public import SwiftUI
    #else
        public import SwiftUIShapes
    #endif
    public import Freehold
    import FreeholdCombine

    /// A type whose objects `@ObservedResults` can show: an object or a projection.
    public protocol _ObservedResultsValue: RealmCollectionValue {}

    extension Object: _ObservedResultsValue {}
    extension Projection: _ObservedResultsValue {}

    /// The objects of a class that a view shows. The view is evaluated again after each change.
    ///
    /// ```swift
    /// struct DogList: View {
    ///     @ObservedResults(Dog.self, where: { $0.age > 5 }, sortDescriptor: SortDescriptor(keyPath: \Dog.name)) var dogs
    ///
    ///     var body: some View {
    ///         SwiftUI.List {
    ///             ForEach(dogs) { dog in DogRow(dog: dog) }
    ///                 .onDelete(perform: $dogs.remove)
    ///         }
    ///     }
    /// }
    /// ```
    /// The realm is that of the configuration, or otherwise that of the environment (`realmConfiguration`, `realm`), whose
    /// default is the default configuration. It is opened on the main thread. If it can't be opened, the process ends. So
    /// open a realm whose file may need a migration, or that syncs, with `Realm.asyncOpen` or `@AsyncOpen` first.
    ///
    /// The results and their objects are frozen. `$dogs.append(_:)`, `$dogs.remove(_:)` and `$dogs.remove(atOffsets:)` write
    /// in transactions of their own. `$dogs.filter`, `$dogs.where` and `$dogs.sortDescriptor` change the query.
    @preconcurrency @MainActor @propertyWrapper
    public struct ObservedResults<ResultType>: DynamicProperty, BoundCollection
    where ResultType: _ObservedResultsValue & RealmFetchable & KeypathSortable & Identifiable {
        public typealias Element = ResultType

        @Environment(\.realmConfiguration) private var configuration
        @ObservedObject private var storage: QueryStorage<ResultType>
        @State private var choices = QueryChoices<ResultType>()

        private init(
            _ filter: QueryChoices<ResultType>.Filter,
            _ configuration: Realm.Configuration?,
            keyPaths: [String]?,
            sortDescriptor: Freehold.SortDescriptor?
        ) {
            let storage = QueryStorage(
                configuration,
                filter: filter,
                sortDescriptors: sortDescriptor.map { [$0] } ?? [],
                keyPaths: keyPaths
            )
            _storage = ObservedObject(wrappedValue: storage)
        }

        /// Creates results of the objects that match a predicate.
        ///
        /// - Parameters:
        ///   - type: The class of the objects or projections.
        ///   - configuration: The configuration of the realm. If it is `nil`, that of the environment is used.
        ///   - filter: The predicate, or `nil` for all objects.
        ///   - keyPaths: The key paths on which a change of an object counts. If it is `nil`, each change counts.
        ///   - sortDescriptor: The order of the objects.
        public init(
            _ type: ResultType.Type,
            configuration: Realm.Configuration? = nil,
            filter: NSPredicate? = nil,
            keyPaths: [String]? = nil,
            sortDescriptor: Freehold.SortDescriptor? = nil
        ) { self.init(.predicate(filter), configuration, keyPaths: keyPaths, sortDescriptor: sortDescriptor) }

        /// Creates results of all objects of a class, with the key paths before the configuration.
        @_disfavoredOverload
        public init(
            _ type: ResultType.Type,
            keyPaths: [String]?,
            configuration: Realm.Configuration? = nil,
            sortDescriptor: Freehold.SortDescriptor? = nil
        ) { self.init(.predicate(nil), configuration, keyPaths: keyPaths, sortDescriptor: sortDescriptor) }

        /// Creates results of the objects that match a query.
        public init(
            _ type: ResultType.Type,
            configuration: Realm.Configuration? = nil,
            where: ((Query<ResultType>) -> Query<Bool>)?,
            keyPaths: [String]? = nil,
            sortDescriptor: Freehold.SortDescriptor? = nil
        ) { self.init(.closure(`where`), configuration, keyPaths: keyPaths, sortDescriptor: sortDescriptor) }

        /// The frozen results.
        public var wrappedValue: Results<ResultType> { prepared.frozen }

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

        /// The order of the results.
        public var sortDescriptor: Freehold.SortDescriptor? {
            get { prepared.sortDescriptors.first }
            nonmutating set { prepared.sortDescriptors = newValue.map { [$0] } ?? [] }
        }

        /// The storage with the present environment and choices.
        private var prepared: QueryStorage<ResultType> { storage.prepared(configuration, choices) }

        nonisolated public func update() { MainActor.assumeIsolated { _ = prepared } }
    }

    extension ObservedResults: _SearchedResults where ResultType: ObjectBase {
        public func _search(_ text: String, on keyPath: KeyPath<ResultType, String>) {
            prepared.search(text, on: keyPath)
        }
    }
#endif
