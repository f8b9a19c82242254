#if canImport(SwiftUI) || SwiftUIShapes
    #if canImport(SwiftUI)
        public import SwiftUI
    #else
        public import SwiftUIShapes
    #endif
    public import Freehold

    /// A collection that a property of an object contains. Bindings return it frozen.
    public protocol _BoundProperty: Equatable, ThreadConfined {}

    extension Freehold.List: _BoundProperty {}
    extension MutableSet: _BoundProperty {}
    extension Map: _BoundProperty {}

    /// A property of an object or projection as the source of a binding. After the deletion of the object, it returns the
    /// last value, and assignments have no effect.
    ///
    /// Views use bindings on the main actor only. SwiftUI declares the closures of bindings as `Sendable`.
    private final class BoundProperty<Owner: ThreadConfined, Value>: @unchecked Sendable {
        private let owner: Owner?
        private let keyPath: ReferenceWritableKeyPath<Owner, Value>
        /// Returns the value for the view.
        private let shown: (Value) -> Value
        /// Returns a Boolean value that indicates whether an assignment would change nothing. It is `nil` if the values can't
        /// be compared.
        private let isEqual: ((Value, Value) -> Bool)?
        private var last: Value

        init(
            _ owner: Owner,
            _ keyPath: ReferenceWritableKeyPath<Owner, Value>,
            shown: @escaping (Value) -> Value = { $0 },
            isEqual: ((Value, Value) -> Bool)? = nil
        ) {
            self.keyPath = keyPath
            self.shown = shown
            self.isEqual = isEqual
            self.owner = owner.live
            last = shown((self.owner ?? owner)[keyPath: keyPath])
        }

        private var living: Owner? { owner.flatMap { $0.isInvalidated ? nil : $0 } }

        var value: Value {
            if let living { last = shown(living[keyPath: keyPath]) }
            return last
        }

        func assign(_ value: Value) {
            guard let living, isEqual?(living[keyPath: keyPath], value) != true else { return }
            write(to: living) { $0[keyPath: keyPath] = value }
        }
    }

    extension BoundProperty {
        var binding: Binding<Value> { Binding(get: { self.value }, set: { self.assign($0) }) }
    }

    /// Returns a binding to a property of any type.
    func binding<Owner: ThreadConfined, Value>(
        to owner: Owner,
        at keyPath: ReferenceWritableKeyPath<Owner, Value>
    ) -> Binding<Value> {
        BoundProperty(owner, keyPath).binding
    }

    /// Returns a binding to a property. An assignment of an equal value isn't written.
    func binding<Owner: ThreadConfined, Value: Equatable>(
        to owner: Owner,
        at keyPath: ReferenceWritableKeyPath<Owner, Value>
    ) -> Binding<Value> {
        BoundProperty(owner, keyPath, isEqual: ==).binding
    }

    /// Returns a binding to a collection. It returns the frozen collection.
    func binding<Owner: ThreadConfined, Value: _BoundProperty>(
        to owner: Owner,
        at keyPath: ReferenceWritableKeyPath<Owner, Value>
    ) -> Binding<Value> {
        BoundProperty(owner, keyPath, shown: { $0.realm == nil ? $0 : $0.freeze() }).binding
    }

    extension Binding where Value: ObjectBase {
        /// Returns a binding to a property of the object. An assignment is written in a transaction of its own.
        @MainActor
        public subscript<V: _Persistable>(dynamicMember member: ReferenceWritableKeyPath<Value, V>) -> Binding<V> {
            binding(to: wrappedValue, at: member)
        }

        /// Returns a binding to a property of the object. An assignment of an equal value isn't written.
        @MainActor
        public subscript<V: _Persistable & Equatable>(
            dynamicMember member: ReferenceWritableKeyPath<Value, V>
        ) -> Binding<V> { binding(to: wrappedValue, at: member) }

        /// Returns a binding to a collection of the object. It returns the frozen collection.
        @MainActor
        public subscript<V: _Persistable & _BoundProperty>(
            dynamicMember member: ReferenceWritableKeyPath<Value, V>
        ) -> Binding<V> { binding(to: wrappedValue, at: member) }
    }

    extension ThreadConfined where Self: ObjectBase {
        /// Returns a binding to a property, for views such as `TextField`. An assignment is written in a transaction of its
        /// own. An assignment of an equal value isn't written.
        ///
        /// ```swift
        /// TextField("Name", text: dog.bind(\.name))
        /// ```
        @MainActor
        public func bind<V: _Persistable & Equatable>(_ keyPath: ReferenceWritableKeyPath<Self, V>) -> Binding<V> {
            binding(to: self, at: keyPath)
        }

        /// Returns a binding to a collection. It returns the frozen collection.
        @MainActor
        public func bind<V: _Persistable & _BoundProperty>(_ keyPath: ReferenceWritableKeyPath<Self, V>) -> Binding<V> {
            binding(to: self, at: keyPath)
        }
    }

    extension ThreadConfined where Self: ProjectionObservable {
        /// Returns a binding to a projected property, like the method of objects.
        @MainActor
        public func bind<V: _Persistable & Equatable>(_ keyPath: ReferenceWritableKeyPath<Self, V>) -> Binding<V> {
            binding(to: self, at: keyPath)
        }

        /// Returns a binding to a projected collection. It returns the frozen collection.
        @MainActor
        public func bind<V: _Persistable & _BoundProperty>(_ keyPath: ReferenceWritableKeyPath<Self, V>) -> Binding<V> {
            binding(to: self, at: keyPath)
        }
    }

    extension Binding where Value: Object {
        /// Deletes the object from its realm. It has no effect for an unmanaged object.
        public func delete() { write(to: wrappedValue) { $0.realm?.delete($0) } }
    }

    extension Binding where Value: ProjectionObservable {
        /// Deletes the projected object from its realm. It has no effect for an unmanaged object.
        public func delete() { write(to: wrappedValue.rootObject) { $0.realm?.delete($0) } }
    }
#endif
