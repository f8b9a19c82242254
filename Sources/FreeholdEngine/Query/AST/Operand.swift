/// One side of a comparison.
public indirect enum Operand: Sendable {
    case constant(Value)
    /// Several constants, of which any (all, none) has to meet the condition.
    case constants([Value], Quantifier = .any)
    /// The path's value, or its values (see `PropertyPath.quantifier`).
    case path(PropertyPath)
    /// The number of the path's values (elements, or objects reached), nulls included. Of one mixed value: the number
    /// of elements of the list or dictionary in it, 0 where there is none.
    case count(PropertyPath)
    /// One value of all of the path's values.
    case aggregate(Aggregate, PropertyPath)
    /// The name of the type of the path's value or values. Equal to every name that includes the type, such as
    /// `numeric`: see `ValueTypeName`.
    case type(PropertyPath)
    /// The length in bytes of each of the path's strings or data; null of null.
    case length(PropertyPath)
    /// How many of the path's objects meet a condition on them.
    case matches(PropertyPath, Predicate)
    /// How many links of any class point to the objects that the steps lead to.
    case incomingLinks([PathStep])
    /// Of numbers; null where a side is null or no number. Two integers give an integer, a decimal with any number a
    /// decimal, other numbers a double. Integers wrap around; divided by zero they give null.
    case arithmetic(ArithmeticOperator, Operand, Operand)
}

public enum ArithmeticOperator: String, Sendable, CaseIterable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
}

/// One value made of many. Nulls are left out.
public enum Aggregate: Sendable {
    /// Of nothing: null. NaNs are left out.
    case minimum, maximum
    /// Of nothing: 0. Integers wrap around.
    case sum
    /// Of nothing: null.
    case average
}
