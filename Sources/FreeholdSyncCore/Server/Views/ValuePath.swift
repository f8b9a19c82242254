import FreeholdEngine

/// The names and subscripts that lead from an object to values inside of it.
struct ValuePath: Sendable {
    enum Step: Sendable {
        case name(SyncString)
        case place(Subscript)
    }

    let steps: [Step]
    let quantifier: Quantifier
    /// A Boolean value that indicates whether the condition contains a quantifier.
    let isQuantified: Bool
    /// The text of the path in the condition.
    let text: String
    /// The position in the condition, in characters.
    let position: Int?
    /// The types of the path. `nil` if the schema doesn't contain the path.
    let types: Types?

    /// The types of a path according to a schema.
    struct Types: Sendable {
        /// For each number of steps, a Boolean value that indicates whether the rest of the path can have several
        /// values.
        let isMany: [Bool]
        let type: ColumnType
    }

    /// A Boolean value that indicates whether the values are those of a mixed property. `nil` if it is unknown.
    var isMixed: Bool? { types.map { $0.type == .mixed } }

    /// A Boolean value that indicates whether an object can have a link on the path.
    var canFail: Bool { types == nil && steps.count > 1 }

    /// A Boolean value that indicates whether the path is the primary key of the object.
    var isKey: Bool {
        if steps.count == 1, case .name(ConditionEquality.key) = steps[0] { true } else { false }
    }

    /// The object's property, if the path consists of one name. `nil` otherwise.
    var property: SyncString? {
        if steps.count == 1, case .name(let name) = steps[0] { name } else { nil }
    }

    // MARK: Values

    /// Returns the value if the path is a property with one value. Returns `nil` otherwise.
    func single(_ root: ConditionRoot) -> ConditionValue? {
        guard let property, case .value(let value)? = root.content(property) else { return nil }
        return ConditionValue(value)
    }

    /// Returns the values. Returns `nil` if the path leads through a link or a value, or if the budget is exceeded.
    ///
    /// The elements of sets are in the order of their values, and the entries of dictionaries in the order of their
    /// keys.
    func values(_ root: ConditionRoot, budget: inout WorkBudget) -> [ConditionValue]? {
        guard !steps.isEmpty else { return [root.name.map { .link($0) } ?? .object] }
        if let single = single(root) { return budget.charge(1 + single.bytes >> 6) ? [single] : nil }
        guard let found = reach(root, budget: &budget) else { return nil }
        let isMany = types?.isMany[steps.count - 1] ?? false
        var values: [ConditionValue] = []
        for content in found {
            switch content {
            case nil: if !isMany || !endsWithName { values.append(.null) }
            case .value(let value)?: values.append(ConditionValue(value))
            case .embedded?: values.append(.object)
            case .list?, .set?, .dictionary?:
                guard budget.charge(content!.elementSteps) else { return nil }
                values += content!.elements.map { Self.value($0) }
            }
        }
        return values
    }

    /// Returns the number of values, or of the elements in one mixed value. For one string or data, returns its length.
    func count(_ root: ConditionRoot, budget: inout WorkBudget) -> Value? {
        var walk = Walk(path: self, root: root)
        guard walk.run(budget: &budget) else { return nil }
        if walk.found.count == 1, !(types?.isMany[0] ?? walk.isMany) {
            switch walk.found[0] {
            case nil, .value(.null)?: return isText ? .null : .int(0)
            case .value(.list(let values))? where isMixed != false: return .int(Int64(values.count))
            case .value(.dictionary(let dictionary))? where isMixed != false:
                return .int(Int64(dictionary.entries.count))
            case .value(let value)?:
                let length = isMixed == true ? .null : Self.length(Value(value))
                return length.isNull ? .int(0) : length
            default: break
            }
        }
        return values(root, budget: &budget).map { .int(Int64($0.count)) }
    }

    private var isText: Bool { types?.type == .string || types?.type == .data }

    /// Returns whether the path leads to one value that isn't an element of a collection.
    func isOne(_ root: ConditionRoot, budget: inout WorkBudget) -> Bool {
        if let types { return !types.isMany[0] }
        var walk = Walk(path: self, root: root)
        guard walk.run(budget: &budget), !walk.isMany, walk.found.count == 1 else { return false }
        switch walk.found[0] {
        case nil, .value?: return true
        default: return false
        }
    }

    /// Returns the length in bytes. Returns null for values other than strings and data.
    static func length(_ value: Value) -> Value {
        switch value {
        case .string(let text): .int(Int64(text.utf8.count))
        case .data(let data): .int(Int64(data.count))
        default: .null
        }
    }

    private var endsWithName: Bool { if case .name? = steps.last { true } else { false } }

    private static func value(_ content: MergedContent) -> ConditionValue {
        if case .value(let value) = content { ConditionValue(value) } else { .object }
    }

    // MARK: Steps

    /// Returns the contents to which the path leads. `nil` stands for null. Returns `nil` if the path leads through a
    /// link, or if the budget is exceeded.
    func reach(_ root: ConditionRoot, budget: inout WorkBudget) -> [MergedContent?]? {
        var walk = Walk(path: self, root: root)
        return walk.run(budget: &budget) ? walk.found : nil
    }

    /// Returns the reason why the path can't be followed. Returns `nil` if it can be followed.
    func failure(_ root: ConditionRoot, budget: inout WorkBudget) -> ConditionFailure? {
        guard !steps.isEmpty else { return nil }
        var walk = Walk(path: self, root: root)
        return walk.run(budget: &budget) ? nil : ConditionFailure(text: walk.failure ?? "", position: position)
    }

    /// Returns the error for a position in a set of links. In a file, the order of linked objects is that of their
    /// rows.
    static func inSet(_ name: String) -> String {
        "A position in the set '\(name)', which can hold links, isn't served."
    }

    static func throughLink(_ name: String) -> String { "A condition through the link '\(name)' isn't served." }

    private struct Walk {
        let path: ValuePath
        let root: ConditionRoot
        var found: [MergedContent?] = []
        /// A Boolean value that indicates whether the path led to the elements of a collection.
        var isMany = false
        var failure: String?

        init(path: ValuePath, root: ConditionRoot) { (self.path, self.root) = (path, root) }

        /// - Returns: `false` if the path leads through a link, or if the budget is exceeded.
        mutating func run(budget: inout WorkBudget) -> Bool {
            guard case .name(let first)? = path.steps.first else { return false }
            found = [root.content(first)]
            var index = 1
            while index < path.steps.count {
                var next: [MergedContent?] = []
                for content in found {
                    guard budget.charge(content?.elementSteps ?? 1) else { return false }
                    switch path.steps[index] {
                    case .name(let name): guard follow(content, name, at: index, into: &next) else { return false }
                    case .place(let place):
                        isMany = isMany || place == .all || place == .keys
                        if place != .all, case .set(let elements)? = content, elements.values.contains(where: \.isLink)
                        {
                            failure = ValuePath.inSet(path.text)
                            return false
                        }
                        Self.pick(content, place, isFirst: isCollection(index), into: &next)
                    }
                }
                found = next
                index += 1
            }
            return true
        }

        /// Returns whether a subscript selects an element of a property, and not a part of a value.
        private func isCollection(_ index: Int) -> Bool {
            if case .name = path.steps[index - 1] { true } else { false }
        }

        private mutating func follow(
            _ content: MergedContent?,
            _ name: SyncString,
            at index: Int,
            into next: inout [MergedContent?]
        ) -> Bool {
            switch content {
            case .embedded(let fields)?: next.append(fields[name])
            case nil, .value(.null)?:
                // A null in a dictionary of objects leads to no object.
                if case .place(.all) = path.steps[index - 1] { break }
                if path.types?.isMany[index] != true { next.append(nil) }
            case .list?, .dictionary?, .set?:
                isMany = true
                for element in content!.elements {
                    switch element {
                    case .embedded(let fields): next.append(fields[name])
                    case .value(let value) where name == "length" && index == path.steps.count - 1 && !value.isLink:
                        if case .int(let length) = ValuePath.length(Value(value)) {
                            next.append(.value(.int(length)))
                        } else {
                            next.append(nil)
                        }
                    // A null in a dictionary of objects leads to no object.
                    case .value(.null): break
                    default: return fail(element, index)
                    }
                }
            case .value(.string(let text))? where name == "length" && index == path.steps.count - 1:
                next.append(.value(.int(Int64(text.string.utf8.count))))
            case .value(.data(let data))? where name == "length" && index == path.steps.count - 1:
                next.append(.value(.int(Int64(data.count))))
            case .value?: return fail(content!, index)
            }
            return true
        }

        private mutating func fail(_ content: MergedContent, _ index: Int) -> Bool {
            let names = path.steps[..<index].compactMap { if case .name(let name) = $0 { name.string } else { nil } }
            let name = names.joined(separator: ".")
            failure =
                if case .value(.link) = content {
                    ValuePath.throughLink(name)
                } else {
                    "'\(name)' holds a value that isn't an embedded object, so that '\(path.text)' can't be asked."
                }
            return false
        }

        private static func pick(
            _ content: MergedContent?,
            _ place: Subscript,
            isFirst: Bool,
            into next: inout [MergedContent?]
        ) {
            let isMany = place == .all || place == .keys
            switch content {
            case .list(let elements)?: pick(elements, place, into: &next)
            case .set?: pick(content!.elements, place, into: &next)
            case .dictionary(let entries)?:
                switch place {
                case .all: next += content!.elements
                case .keys: next += entries.keys.sorted().map { MergedContent.value(.string($0)) }
                case .key(let key): next.append(entries[SyncString(key)])
                // Keys are strings, with or without quotes.
                case .index(let key) where isFirst: next.append(entries[SyncString(String(key))])
                case .index, .first, .last: next.append(nil)
                }
            case .value(.list(let values))?: pick(values.map { .value($0) }, place, into: &next)
            case .value(.dictionary(let dictionary))?:
                switch place {
                case .all: next += dictionary.entries.map { MergedContent.value($0.value) }
                case .keys: next += dictionary.entries.map { MergedContent.value(.string($0.key)) }
                case .key(let key): next.append(dictionary[SyncString(key)].map { .value($0) })
                case .index, .first, .last: next.append(nil)
                }
            case nil, .value?, .embedded?: if !isMany { next.append(nil) }
            }
        }

        private static func pick(_ elements: [MergedContent], _ place: Subscript, into next: inout [MergedContent?]) {
            switch place {
            case .all: next += elements
            case .keys: break
            case .key: next.append(nil)
            case .index(let index): next.append(elements.indices.contains(index) ? elements[index] : nil)
            case .first: next.append(elements.first)
            case .last: next.append(elements.last)
            }
        }
    }
}

extension MergedContent {
    /// The number of steps to read all elements.
    ///
    /// - Complexity: O(1)
    var elementSteps: Int {
        switch self {
        case .list(let elements): 1 + elements.count
        // The elements of sets and dictionaries have to be sorted.
        case .set(let elements): 1 + 8 * elements.count
        case .dictionary(let entries): 1 + 8 * entries.count
        case .value(.list(let values)): 1 + values.count
        case .value(.dictionary(let dictionary)): 1 + dictionary.entries.count
        case .value, .embedded: 1
        }
    }

    /// The elements of a collection, in the order of a file.
    ///
    /// - Complexity: O(*n* log *n*) for sets and dictionaries, otherwise O(1)
    var elements: [MergedContent] {
        switch self {
        case .list(let elements): elements
        case .set(let elements):
            elements.values.map { (Value($0), $0) }
                .sorted { Value.compare($0.0, with: $1.0) < 0 }
                .map { .value($0.1) }
        case .dictionary(let entries): entries.sorted { $0.key < $1.key }.map(\.value)
        case .value, .embedded: []
        }
    }
}

extension SyncValue {
    fileprivate var isLink: Bool { if case .link = self { true } else { false } }
}
