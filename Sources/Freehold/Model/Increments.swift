import FreeholdEngine
import Synchronization

// The common parts of increments of properties and elements. The engine receives an increment as such, so that sync can
// sum the increments of several devices.

/// The range of an integer type of Swift.
struct IntegerBounds {
    let type: Any.Type
    private let least: Int64
    private let greatest: Int64

    init<Number: _PersistableInteger>(_ type: Number.Type) {
        self.type = type
        least = Int64(truncatingIfNeeded: Number.min)
        greatest = Int64(truncatingIfNeeded: Number.max)
    }

    /// Returns the bounds of an integer type or of an optional integer type, and nil for other types.
    static func of(_ type: Any.Type) -> IntegerBounds? {
        func open<Number: _PersistableInteger>(_ type: Number.Type) -> IntegerBounds { IntegerBounds(type) }
        let plain = (type as? any OptionalProtocol.Type)?.wrappedType ?? type
        return (plain as? any _PersistableInteger.Type).map { open($0) }
    }

    /// Returns the sum, or nil if the type can't represent it. Sums of 64 bits wrap around, so that they don't depend
    /// on the order.
    func sum(_ a: Int64, _ b: Int64) -> Int64? {
        if least == .min, greatest == .max { return a &+ b }
        let (sum, isOverflow) = a.addingReportingOverflow(b)
        return isOverflow || sum < least || sum > greatest ? nil : sum
    }

    /// Returns the message for a sum that the type can't represent.
    func problem(_ a: Int64, plus b: Int64) -> String {
        "\(b) can't be added to \(a): the sum doesn't fit into \(type). Declare a wider type"
    }

    /// Returns the sum for an unmanaged value. No write could throw an error for it, so an overflow ends the process,
    /// like with `+`.
    func plainSum(_ a: Int64, plus b: Int64, place: @autoclosure () -> String) -> Int64 {
        guard let sum = sum(a, b) else { programmerError("\(place()): \(problem(a, plus: b)).") }
        return sum
    }
}

extension PropertyInfo {
    /// The bounds of an integer property, or nil for other properties. Enums and custom types have none, regardless of
    /// their stored type.
    var integerBounds: IntegerBounds? { converter.integerBounds }
}

extension ObjectBase {
    /// Adds a number to a property.
    ///
    /// - Returns: The sum, or nil for null. If the sum can't be stored, the error is recorded, and the method returns
    ///   the old value.
    final func _increment(_ index: Int, by amount: Int64, in bounds: IntegerBounds) -> Int64? {
        guard let table = _table else { return _incrementUnmanaged(index, by: amount, in: bounds) }
        // Traps before any data is read.
        _ = _prepareWrite(index)
        guard let column = table.columns[index], let old = table.core.view.readInt(column, _key) else { return nil }
        guard let sum = bounds.sum(old, amount) else {
            table.core.record(
                Realm.Error(
                    .invalidValue,
                    bounds.problem(old, plus: amount),
                    className: table.info.className,
                    property: table.info.properties[index].name
                )
            )
            return old
        }
        var result = old
        // For a primary key, the call only records the error.
        _write(index, to: .int(sum)) { tx, column, row throws(EngineError) in
            result = try tx.increment(column, row, by: amount) ?? old
        }
        return result
    }

    private final func _incrementUnmanaged(_ index: Int, by amount: Int64, in bounds: IntegerBounds) -> Int64? {
        let info = _info
        let property = info.properties[index]
        guard case .value(.int(let old)) = property.access.content(of: self, at: property) else { return nil }
        let sum = bounds.plainSum(old, plus: amount, place: "\(info.className).\(property.name)")
        _ = property.access.assign(.value(.int(sum)), to: self, at: property)
        return sum
    }

    /// Adds a number to a property to which to-one links lead.
    ///
    /// - Returns: The sum, or nil for null and behind a null link.
    final func _increment<Number: _PersistableInteger>(along names: [String], by amount: Number) -> Number? {
        var object = self
        if names.count > 1 {
            if let core = _core { _ = core.requireWrite() }
            for name in names.dropLast() {
                guard let next = object._value(named: name) as? ObjectBase else { return nil }
                object = next
            }
        }
        let index = object._propertyIndex(named: names.last!)
        return object._increment(index, by: Int64(truncatingIfNeeded: amount), in: IntegerBounds(Number.self))
            .map { Number._narrow($0) }
    }
}

/// The integer properties at the end of key paths.
enum IntegerPath {
    private struct Known: @unchecked Sendable {
        // The key paths are safe to share between threads. See `KeyPathReading`.
        var byKeyPath: [AnyKeyPath: [String]] = [:]
    }

    private struct Box: @unchecked Sendable {
        let keyPath: AnyKeyPath
    }

    private static let known = Mutex(Known())

    /// Returns the names of the properties on the path, including the last. Traps if the key path doesn't return the
    /// stored value. A computed property with a setter isn't allowed, because it isn't the stored property.
    ///
    /// - Complexity: A dictionary look-up after the first call.
    static func names<Root: ObjectBase, Value>(_ keyPath: KeyPath<Root, Value>) -> [String] {
        let box = Box(keyPath: keyPath)
        if let known = known.withLock({ $0.byKeyPath[box.keyPath] }) { return known }
        guard let reading = KeyPathReading(of: keyPath, in: Root.self), reading.collectionNames == nil,
            KeyPathOrigin.givesStored(
                reading.names,
                of: Root.self,
                as: Value.self,
                isWritable: false,
                { unsafeDowncast($0, to: Root.self)[keyPath: keyPath] }
            )
        else {
            programmerError(
                "A key path of \(ClassInfo.of(Root.self).className) that increment(_:by:) was given doesn't lead to an integer "
                    + "that is @Persisted. Give it that of the property itself."
            )
        }
        known.withLock { $0.byKeyPath[box.keyPath] = reading.names }
        return reading.names
    }
}
