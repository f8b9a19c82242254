#if canImport(SwiftUI) || SwiftUIShapes
    public import Foundation
    #if canImport(SwiftUI)
        public import SwiftUI
    #else
        public import SwiftUIShapes
    #endif
    public import Freehold

    /// A view's access to a collection. Each change is a transaction of its own, unless the realm is in a write
    /// transaction. A frozen object in a change is thawed first. Unmanaged collections are changed in memory.
    @preconcurrency @MainActor
    public protocol BoundCollection {
        associatedtype Value
        associatedtype Element: RealmCollectionValue

        var wrappedValue: Value { get }
        /// Reports that an unmanaged collection was changed in memory. For use by the library only.
        func _didChangeInMemory()
    }

    extension BoundCollection {
        public func _didChangeInMemory() {}
    }

    extension BoundCollection where Value: ThreadConfined {
        fileprivate func write(_ change: (Value) -> Void) {
            let value = wrappedValue
            FreeholdSwiftUI.write(to: value, change)
            if value.realm == nil { _didChangeInMemory() }
        }
    }

    extension BoundCollection where Value: RealmCollection {
        public typealias Element = Value.Element
        public typealias Index = Value.Index
        public typealias Indices = Value.Indices
    }

    extension BoundCollection where Value == Freehold.List<Element> {
        /// Removes the element at a position. It has no effect if the list has become shorter.
        public func remove(at index: Int) { remove(atOffsets: [index]) }

        /// Removes the elements at positions. Positions beyond the end of the list are ignored.
        public func remove(atOffsets offsets: IndexSet) {
            write { list in list.remove(atOffsets: offsets.filteredIndexSet { $0 < list.count }) }
        }

        /// Moves the elements at positions before the element at `destination`. Positions beyond the end of the list
        /// are ignored.
        public func move(fromOffsets offsets: IndexSet, toOffset destination: Int) {
            write { list in
                list.move(
                    fromOffsets: offsets.filteredIndexSet { $0 < list.count },
                    toOffset: min(destination, list.count)
                )
            }
        }

        /// Appends an element.
        public func append(_ value: Value.Element) { write { $0.append(value) } }
    }

    extension BoundCollection where Value == Freehold.List<Element>, Element: ObjectBase {
        /// Appends an object. An unmanaged object is added to the realm. An object that was deleted isn't appended.
        public func append(_ value: Value.Element) {
            write { list in if let live = value.live { list.append(live) } }
        }
    }

    extension BoundCollection where Value == MutableSet<Element> {
        /// Inserts an element.
        public func insert(_ value: Value.Element) { write { $0.insert(value) } }

        /// Removes an element.
        public func remove(_ element: Value.Element) { write { $0.remove(element) } }
    }

    extension BoundCollection where Value == MutableSet<Element>, Element: ObjectBase {
        /// Inserts an object. An unmanaged object is added to the realm. An object that was deleted isn't inserted.
        public func insert(_ value: Value.Element) {
            write { set in if let live = value.live { set.insert(live) } }
        }

        /// Removes an object from the set. The object isn't deleted.
        public func remove(_ object: Value.Element) {
            write { set in if let live = object.live { set.remove(live) } }
        }
    }

    extension BoundCollection where Value == Results<Element>, Element: ObjectBase {
        /// Deletes an object if the results contain it.
        public func remove(_ object: Value.Element) {
            write { results in
                guard object.realm != nil, let live = object.live, results.index(of: live) != nil else { return }
                results.realm?.delete(live)
            }
        }

        /// Deletes the objects at positions of the results that the view shows. Objects that were deleted
        /// are ignored.
        public func remove(atOffsets offsets: IndexSet) {
            let shown = wrappedValue
            let objects = offsets.filter { $0 < shown.count }.map { shown[$0] }
            write { results in results.realm?.delete(objects.compactMap(\.live)) }
        }
    }

    extension BoundCollection where Value == Results<Element>, Element: Object {
        /// Adds an object to the realm of the results. An object that was deleted isn't added.
        public func append(_ value: Value.Element) {
            write { results in if let live = value.live { results.realm?.add(live) } }
        }
    }

    extension BoundCollection where Value == Results<Element>, Element: ProjectionObservable, Element.Root: Object {
        /// Adds the object of a projection to the realm of the results.
        public func append(_ value: Value.Element) {
            write { results in if let live = value.rootObject.live { results.realm?.add(live) } }
        }

        /// Deletes the object of a projection if the results contain it.
        public func remove(_ projection: Value.Element) {
            write { results in
                guard projection.realm != nil, let live = projection.live, results.index(of: live) != nil else {
                    return
                }
                results.realm?.delete(live.rootObject)
            }
        }

        /// Deletes the objects at positions of the results that the view shows. Objects that were deleted
        /// are ignored.
        public func remove(atOffsets offsets: IndexSet) {
            let shown = wrappedValue
            let objects = offsets.filter { $0 < shown.count }.map { shown[$0].rootObject }
            write { results in results.realm?.delete(objects.compactMap(\.live)) }
        }
    }

    extension Binding: BoundCollection where Value: RealmCollection {
        public typealias Element = Value.Element
        public typealias Index = Value.Index
        public typealias Indices = Value.Indices

        /// Assigns the collection to its own place, so that views which show it are evaluated again.
        public func _didChangeInMemory() { wrappedValue = wrappedValue }
    }

    /// A view's access to a map. Each change is a transaction of its own, unless the realm is in a write transaction.
    @preconcurrency @MainActor
    public protocol BoundMap {
        associatedtype Value: RealmKeyedCollection

        var wrappedValue: Value { get }
        /// Reports that an unmanaged map was changed in memory. For use by the library only.
        func _didChangeInMemory()
    }

    extension BoundMap {
        public func _didChangeInMemory() {}

        /// The value of a key.
        public subscript(key: Value.Key) -> Value.Value? { wrappedValue[key] }
    }

    extension BoundMap where Value: ThreadConfined {
        /// Sets or removes the value of a key.
        public func set(object: Value.Value?, for key: Value.Key) {
            let map = wrappedValue
            write(to: map) { map in
                var map = map
                map[key] = object
            }
            if map.realm == nil { _didChangeInMemory() }
        }
    }

    extension BoundMap where Value: ThreadConfined, Value.Value: OptionalProtocol, Value.Value.Wrapped: ObjectBase {
        /// Sets or removes the object of a key. An unmanaged object is added to the realm. An object that was deleted isn't
        /// set.
        public func set(object: Value.Value.Wrapped?, for key: Value.Key) {
            let map = wrappedValue
            write(to: map) { map in
                var map = map
                guard let object else {
                    map[key] = nil
                    return
                }
                if let live = object.live { map[key] = (live as! Value.Value) }
            }
            if map.realm == nil { _didChangeInMemory() }
        }
    }

    extension Binding: BoundMap where Value: RealmKeyedCollection {
        /// Assigns the map to its own place, so that views which show it are evaluated again.
        public func _didChangeInMemory() { wrappedValue = wrappedValue }
    }
#endif
