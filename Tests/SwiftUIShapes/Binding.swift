/// A value that is read and written by closures.
@propertyWrapper @dynamicMemberLookup
public struct Binding<Value> {
    private let read: @Sendable () -> Value
    private let assign: @Sendable (Value) -> Void

    @preconcurrency
    public init(get: @escaping @Sendable () -> Value, set: @escaping @Sendable (Value) -> Void) {
        (read, assign) = (get, set)
    }

    /// Returns a binding to a value that never changes.
    public static func constant(_ value: Value) -> Binding<Value> {
        let kept = Constant(value: value)
        return Binding(get: { kept.value }, set: { _ in })
    }

    public var wrappedValue: Value {
        get { read() }
        nonmutating set { assign(newValue) }
    }

    public var projectedValue: Binding<Value> { self }

    public init(projectedValue: Binding<Value>) { self = projectedValue }

    public subscript<Subject>(dynamicMember keyPath: WritableKeyPath<Value, Subject>) -> Binding<Subject> {
        let member = Member(binding: self, keyPath: keyPath)
        return Binding<Subject>(get: { member.value }, set: { member.value = $0 })
    }
}

extension Binding: @unchecked Sendable where Value: Sendable {}

private struct Constant<Value>: @unchecked Sendable {
    let value: Value
}

private final class Member<Value, Subject>: @unchecked Sendable {
    private let binding: Binding<Value>
    private let keyPath: WritableKeyPath<Value, Subject>

    init(binding: Binding<Value>, keyPath: WritableKeyPath<Value, Subject>) {
        (self.binding, self.keyPath) = (binding, keyPath)
    }

    var value: Subject {
        get { binding.wrappedValue[keyPath: keyPath] }
        set {
            var whole = binding.wrappedValue
            whole[keyPath: keyPath] = newValue
            binding.wrappedValue = whole
        }
    }
}
