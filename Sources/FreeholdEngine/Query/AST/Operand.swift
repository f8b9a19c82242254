/// One side of a comparison.
public indirect enum Operand: Sendable {
    case constant(Value)
    /// Several constants. The quantifier states how many of them have to meet the condition.
    case constants([Value], Quantifier = .any)
    /// The path's value or values (see `PropertyPath.quantifier`).
    case path(PropertyPath)
    /// The number of the path's values (elements or reached objects), including nulls. For one mixed value, the number of elements of its list or
    /// dictionary, or 0 if it contains neither.
    case count(PropertyPath)
    /// One value that is calculated from all of the path's values.
    case aggregate(Aggregate, PropertyPath)
    /// The name of the type of the path's value or values. It is equal to every name that includes the type, such as `numeric`: see `ValueTypeName`.
    case type(PropertyPath)
    /// The length in bytes of each of the path's strings or data values. The length of null is null.
    case length(PropertyPath)
    /// The number of the path's objects that meet a condition.
    case matches(PropertyPath, Predicate)
    /// The number of links of all classes that point to the objects that the steps lead to.
    case incomingLinks([PathStep])
    /// A calculation with two numbers. The result is null if one side is null or isn't a number. Two integers give an integer, a decimal and any
    /// number give a decimal, and other numbers give a double. Integers wrap around, and the result of a division by zero is null.
    case arithmetic(ArithmeticOperator, Operand, Operand)
}

public enum ArithmeticOperator: String, Sendable, CaseIterable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
}

/// A value that is calculated from many values. Nulls are ignored.
public enum Aggregate: Sendable {
    /// The result of no values is null. NaNs are ignored.
    case minimum, maximum
    /// The result of no values is 0. Integers wrap around.
    case sum
    /// The result of no values is null.
    case average
}
