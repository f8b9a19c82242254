public import CFreeholdShims
import Synchronization

// A property with another name in the file: `@Persisted(mapTo: "first_name") var firstName = ""`.
//
// The objects don't store the name. The library inspects one instance of each class. The wrappers of this instance
// contain the number of the name in the bits that contain the index of a managed property. All other wrappers only read
// the thread's flag.

extension Persisted {
    @inlinable @inline(__always) mutating func map(to name: String) {
        if fh_learning() { meta |= _fhMappedNameNumber(name) }
    }

    /// Creates a property with another name in the file.
    @inlinable public init(mapTo name: String) {
        self.init()
        map(to: name)
    }

    /// Creates a property with a default value and another name in the file.
    @inlinable public init(wrappedValue value: Value, mapTo name: String) {
        self.init(wrappedValue: value)
        map(to: name)
    }

    /// Creates a property with an index for equality queries and another name in the file.
    @inlinable public init(indexed: Bool, mapTo name: String) where Value.PersistedType: _Indexable {
        self.init(indexed: indexed)
        map(to: name)
    }

    @inlinable public init(wrappedValue value: Value, indexed: Bool, mapTo name: String)
    where Value.PersistedType: _Indexable {
        self.init(wrappedValue: value, indexed: indexed)
        map(to: name)
    }

    /// Creates the primary key with another name in the file.
    @inlinable public init(primaryKey: Bool, mapTo name: String) where Value.PersistedType: _PrimaryKey {
        self.init(primaryKey: primaryKey)
        map(to: name)
    }

    @inlinable public init(wrappedValue value: Value, primaryKey: Bool, mapTo name: String)
    where Value.PersistedType: _PrimaryKey {
        self.init(wrappedValue: value, primaryKey: primaryKey)
        map(to: name)
    }

    /// Creates linking objects with a second name for queries. They aren't stored.
    @inlinable public init(originProperty: String, mapTo name: String) where Value: LinkingObjectsProtocol {
        self.init(originProperty: originProperty)
        map(to: name)
    }
}

@usableFromInline @inline(never)
func _fhMappedNameNumber(_ name: String) -> UInt32 { MappedNames.number(name) }

/// The mapped names of the program's properties, with numbers from 1.
enum MappedNames {
    /// The largest number, which has 16 bits.
    private static let maximum = 0xffff

    private struct Names {
        var names: [String] = []
        var numbers: [String: UInt32] = [:]
    }

    private static let names = Mutex(Names())

    static func number(_ name: String) -> UInt32 {
        let number: UInt32? = names.withLock { known in
            if let number = known.numbers[name] { return number }
            if known.names.count == maximum { return nil }
            known.names.append(name)
            let number = UInt32(known.names.count)
            known.numbers[name] = number
            return number
        }
        if let number { return number }
        programmerError("The program maps properties to more than \(maximum) different names. Use naming policies.")
    }

    /// Returns the name with the number, or nil for 0.
    static func name(_ number: UInt32) -> String? {
        if number == 0 { return nil }
        return names.withLock { $0.names[Int(number) - 1] }
    }
}
