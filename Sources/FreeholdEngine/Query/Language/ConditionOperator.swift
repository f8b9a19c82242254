extension ConditionOperator {
    var isOrder: Bool { self == .less || self == .lessOrEqual || self == .greater || self == .greaterOrEqual }

    /// The comparison, or `nil` for operators of strings and lists.
    package var comparison: Comparison? {
        switch self {
        case .equal: .equal
        case .notEqual: .notEqual
        case .less: .less
        case .lessOrEqual: .lessOrEqual
        case .greater: .greater
        case .greaterOrEqual: .greaterOrEqual
        case .contains, .beginsWith, .endsWith, .like, .matches, .isIn: nil
        }
    }

    package var text: StringOperator? {
        switch self {
        case .equal: .equal
        case .notEqual: .notEqual
        case .contains: .contains
        case .beginsWith: .beginsWith
        case .endsWith: .endsWith
        case .like: .like
        case .matches: .matches
        case .less, .lessOrEqual, .greater, .greaterOrEqual, .isIn: nil
        }
    }

    /// The operator with which the sides can be exchanged, or `nil` if that isn't possible.
    package var mirrored: ConditionOperator? {
        switch self {
        case .equal, .notEqual: self
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        // `3 IN list` means that any element is 3.
        case .isIn: .equal
        case .contains, .beginsWith, .endsWith, .like, .matches: nil
        }
    }
}
