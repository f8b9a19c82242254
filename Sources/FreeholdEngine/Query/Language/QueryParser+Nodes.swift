extension QueryParser {
    /// A condition, or a term that may become one side of a condition.
    enum Node {
        /// - Parameter height: the depth of its nesting.
        case condition(Condition, height: Int)
        case chain(Chain)
        case term(WrittenTerm)
    }

    /// Conditions that are joined by AND or by OR. More conditions can be added at both ends.
    final class Chain {
        let isAnd: Bool
        /// The conditions in front, in reverse order.
        private var front: [Condition] = []
        private var back: [Condition] = []
        private(set) var height = 1

        init(isAnd: Bool) { self.isAnd = isAnd }

        private var count: Int { front.count + back.count }

        func append(_ condition: Condition, _ height: Int) {
            back.append(condition)
            self.height = max(self.height, height + 1)
        }

        func prepend(_ condition: Condition, _ height: Int) {
            front.append(condition)
            self.height = max(self.height, height + 1)
        }

        /// Returns both chains as one. The shorter chain is added to the longer one.
        func joined(_ other: Chain) -> Chain {
            let (height, isLonger) = (max(height, other.height), count >= other.count)
            let result = isLonger ? self : other
            if isLonger {
                back += other.front.reversed() + other.back
            } else {
                other.front += back.reversed() + front
            }
            result.height = height
            return result
        }

        var condition: Condition {
            let all = front.reversed() + back
            return isAnd ? .and(all) : .or(all)
        }
    }

    struct WrittenTerm {
        var term: Term
        /// The position of its first token, in bytes.
        var start: Int
        /// The text of a constant that could also be the name of a property.
        var word: String?
        /// The depth of its calculations, subqueries and paths.
        var height: Int

        init(_ term: Term, _ start: Int, word: String? = nil) {
            self.term = term
            self.start = start
            self.word = word
            height = if case .path(let path) = term { path.steps.count } else { 0 }
        }
    }
}
