#if canImport(SwiftUI) || SwiftUIShapes
    #if canImport(SwiftUI)
        public import Combine
        public import SwiftUI
    #else
        public import SwiftUIShapes
    #endif
    public import Freehold
    public import FreeholdCombine

    /// An object, projection or collection that a view creates and keeps. The view is evaluated again after each change.
    ///
    /// ```swift
    /// struct NewDog: View {
    ///     @StateRealmObject var dog = Dog()
    ///     @ObservedResults(Dog.self) var dogs
    ///
    ///     var body: some View {
    ///         TextField("Name", text: $dog.name)
    ///         Button("Add") { $dogs.append(dog) }
    ///     }
    /// }
    /// ```
    /// A managed value is read frozen. Bindings of `$dog` write in transactions of their own. For an unmanaged object,
    /// assignments to its properties are observed. After the value was deleted, the view shows an unmanaged, empty one.
    @preconcurrency @MainActor @propertyWrapper
    public struct StateRealmObject<T: RealmSubscribable & ThreadConfined & Equatable>: DynamicProperty {
        @StateObject private var storage: ValueStorage<T>

        public var wrappedValue: T {
            get { storage.frozen }
            nonmutating set { storage.replace(by: newValue) }
        }

        /// A binding to the live value.
        public var projectedValue: Binding<T> {
            let storage = StorageReference(storage)
            return Binding(get: { storage.storage.current }, set: { storage.storage.replace(by: $0) })
        }

        public init<Value>(wrappedValue: T) where T == Freehold.List<Value> {
            _storage = StateObject(wrappedValue: ValueStorage(wrappedValue, replacement: T()))
        }

        public init<Value>(wrappedValue: T) where T == MutableSet<Value> {
            _storage = StateObject(wrappedValue: ValueStorage(wrappedValue, replacement: T()))
        }

        public init<Key, Value>(wrappedValue: T) where T == Map<Key, Value> {
            _storage = StateObject(wrappedValue: ValueStorage(wrappedValue, replacement: T()))
        }

        public init(wrappedValue: T) where T: ObjectBase & Identifiable {
            _storage = StateObject(wrappedValue: ValueStorage(wrappedValue, replacement: T()))
        }

        public init(wrappedValue: T) where T: ProjectionObservable {
            _storage = StateObject(wrappedValue: ValueStorage(wrappedValue, replacement: T(projecting: T.Root())))
        }

        /// A publisher that emits a value after each change.
        public var _publisher: some Publisher {
            storage.observe()
            return storage.objectWillChange
        }

        nonisolated public func update() { MainActor.assumeIsolated { storage.observe() } }
    }

    /// A storage in the closures of a binding. Views use bindings on the main actor only.
    struct StorageReference<T: RealmSubscribable & ThreadConfined & Equatable>: @unchecked Sendable {
        let storage: ValueStorage<T>
        init(_ storage: ValueStorage<T>) { self.storage = storage }
    }
#endif
