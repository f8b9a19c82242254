import FreeholdEngine
import Synchronization

// What adding to integers has in common, whatever they are properties or elements of. The engine is told of an add as
// such, so that adds which were made apart can be summed.

/// What an integer type of Swift's holds.
struct IntegerBounds {
    let type: Any.Type
    private let least: Int64
    private let greatest: Int64

    init<Number: _PersistableInteger>(_ type: Number.Type) {
        self.type = type
        least = Int64(truncatingIfNeeded: Number.min)
        greatest = Int64(truncatingIfNeeded: Number.max)
    }

    /// Nil for what is neither an integer nor an optional one.
    static func of(_ type: Any.Type) -> IntegerBounds? {
        func open<Number: _PersistableInteger>(_ type: Number.Type) -> IntegerBounds { IntegerBounds(type) }
        let plain = (type as? any OptionalProtocol.Type)?.wrappedType ?? type
        return (plain as? any _PersistableInteger.Type).map { open($0) }
    }

    /// Nil where the type can't hold it. Sums of 64 bits wrap around, so that they are the same in every order.
    func sum(_ a: Int64, _ b: Int64) -> Int64? {
        if least == .min, greatest == .max { return a &+ b }
        let (sum, isOverflow) = a.addingReportingOverflow(b)
        return isOverflow || sum < least || sum > greatest ? nil : sum
    }

    /// What there is to say where there is no sum.
    func problem(_ a: Int64, _ b: Int64) -> String {
        "\(b) can't be added to \(a): the sum doesn't fit into \(type). Declare a wider type"
    }

    /// The sum of what isn't managed, where no write could throw what is wrong: as with `+`, the process ends.
    func plainSum(_ a: Int64, _ b: Int64, _ place: @autoclosure () -> String) -> Int64 {
        guard let sum = sum(a, b) else { programmerError("\(place()): \(problem(a, b)).") }
        return sum
    }
}

extension PropertyInfo {
    /// Nil for what is no integer property. Enums and custom types are none, whatever they are stored as.
    var integerBounds: IntegerBounds? { converter.integerBounds }
}

extension ObjectBase {
    /// Adds to a property.
    ///
    /// - Returns: the sum; nil for null; what there was, where the sum can't be stored, which has been recorded.
    final func _increment(_ index: Int, by amount: Int64, in bounds: IntegerBounds) -> Int64? {
        guard let table = _table else { return _incrementUnmanaged(index, by: amount, in: bounds) }
        // Traps before anything is read.
        _ = _prepareWrite(index)
        guard let column = table.columns[index], let old = table.core.view.readInt(column, _key) else { return nil }
        guard let sum = bounds.sum(old, amount) else {
            table.core.record(
                Realm.Error(
                    .invalidValue,
                    bounds.problem(old, amount),
                    className: table.info.className,
                    property: table.info.properties[index].name
                )
            )
            return old
        }
        var result = old
        // For a primary key only the error is recorded.
        _write(index, .int(sum)) { tx, column, row throws(EngineError) in
            result = try tx.increment(column, row, by: amount) ?? old
        }
        return result
    }

    private final func _incrementUnmanaged(_ index: Int, by amount: Int64, in bounds: IntegerBounds) -> Int64? {
        let info = _info
        let property = info.properties[index]
        guard case .value(.int(let old)) = property.access.content(of: self, at: property) else { return nil }
        let sum = bounds.plainSum(old, amount, "\(info.className).\(property.name)")
        _ = property.access.assign(.value(.int(sum)), to: self, at: property)
        return sum
    }

    /// Adds to a property that to-one links lead to.
    ///
    /// - Returns: the sum; nil for null, and behind a link to nothing.
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

/// The integer properties that key paths lead to.
enum IntegerPath {
    private struct Known: @unchecked Sendable {
        // Sendable in fact: see `KeyPathReading`.
        var byKeyPath: [AnyKeyPath: [String]] = [:]
    }

    private struct Box: @unchecked Sendable {
        let keyPath: AnyKeyPath
    }

    private static let known = Mutex(Known())

    /// The names of the properties on the way, and of that property. Traps where the key path gives something else than
    /// what is stored: a computed property that can be assigned isn't what it is made of.
    ///
    /// - Complexity: a dictionary lookup after the first time.
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
