#if canImport(SwiftUI) || SwiftUIShapes
    #if canImport(SwiftUI)
        public import Combine
        public import SwiftUI
    #else
        public import SwiftUIShapes
    #endif
    public import Freehold
    public import FreeholdCombine

    /// An object, projection or list that a view receives. The view is evaluated again after each change.
    ///
    /// ```swift
    /// struct DogRow: View {
    ///     @ObservedRealmObject var dog: Dog
    ///
    ///     var body: some View {
    ///         TextField("Name", text: $dog.name)
    ///         Toggle("Chipped", isOn: $dog.isChipped)
    ///     }
    /// }
    /// ```
    /// A managed value is read frozen. Bindings of `$dog` write in transactions of their own, and changes of collections do,
    /// too: `$dog.toys.append(toy)`. For an unmanaged object, assignments to its properties are observed. After the value
    /// was deleted, the view shows an unmanaged, empty one.
    @preconcurrency @MainActor @propertyWrapper
    public struct ObservedRealmObject<ObjectType: RealmSubscribable & ThreadConfined & ObservableObject & Equatable>:
        DynamicProperty
    {
        /// The bindings to the properties of the value.
        @preconcurrency @MainActor @dynamicMemberLookup
        public struct Wrapper {
            /// The live value.
            public var wrappedValue: ObjectType

            init(wrappedValue: ObjectType) { self.wrappedValue = wrappedValue }

            /// Returns a binding to a property. An assignment is written in a transaction of its own.
            public subscript<Subject>(
                dynamicMember keyPath: ReferenceWritableKeyPath<ObjectType, Subject>
            ) -> Binding<Subject> { binding(to: wrappedValue, at: keyPath) }

            /// Returns a binding to a property. An assignment of an equal value isn't written.
            public subscript<Subject: Equatable>(
                dynamicMember keyPath: ReferenceWritableKeyPath<ObjectType, Subject>
            ) -> Binding<Subject> { binding(to: wrappedValue, at: keyPath) }

            /// Returns a binding to a collection. It returns the frozen collection.
            public subscript<Subject: _BoundProperty>(
                dynamicMember keyPath: ReferenceWritableKeyPath<ObjectType, Subject>
            ) -> Binding<Subject> { binding(to: wrappedValue, at: keyPath) }
        }

        @ObservedObject private var storage: ValueStorage<ObjectType>

        public var wrappedValue: ObjectType {
            get { storage.frozen }
            nonmutating set { storage.replace(by: newValue) }
        }

        public var projectedValue: Wrapper { Wrapper(wrappedValue: storage.current) }

        public init(wrappedValue: ObjectType) where ObjectType: ObjectBase & Identifiable {
            _storage = ObservedObject(wrappedValue: ValueStorage(wrappedValue, replacement: ObjectType()))
        }

        public init<V>(wrappedValue: ObjectType) where ObjectType == Freehold.List<V> {
            _storage = ObservedObject(wrappedValue: ValueStorage(wrappedValue, replacement: ObjectType()))
        }

        public init(wrappedValue: ObjectType) where ObjectType: ProjectionObservable {
            let empty = ObjectType(projecting: ObjectType.Root())
            _storage = ObservedObject(wrappedValue: ValueStorage(wrappedValue, replacement: empty))
        }

        nonisolated public func update() { MainActor.assumeIsolated { storage.observe() } }
    }

    extension ObservedRealmObject.Wrapper where ObjectType: ObjectBase {
        /// Deletes the object from its realm. It has no effect for an unmanaged object.
        public func delete() { write(to: wrappedValue) { $0.realm?.delete($0) } }
    }

    extension ObservedRealmObject.Wrapper: BoundCollection where ObjectType: RealmCollection {
        public typealias Value = ObjectType
        public typealias Element = ObjectType.Element
    }
#endif
