extension Record {
    /// Applies a change, beginning with the first step of the path inside the record.
    ///
    /// If the author's work was refused, only dead slots of lists are created.
    mutating func perform(_ change: Change, _ path: ArraySlice<Place.Step>, _ author: Author) -> Outcome {
        guard case .property(let name)? = path.first else { return .malformed }
        let rest = path.dropFirst()
        switch rest.first {
        case nil: return perform(change, on: name, author)
        case .element(let reference):
            return withExisting(list: name) { list in
                guard let (element, isAlive) = list.element(reference, author) else { return .malformed }
                return list.edit(element, isAlive: isAlive) { register, base in
                    register.perform(change, rest.dropFirst(), author, base: base, isEntry: false)
                }
            }
        case .entry(let key):
            return withDictionary(name, author.mark(.real)) { dictionary in
                dictionary.edit(key) { register, base in
                    register.perform(change, rest.dropFirst(), author, base: base, isEntry: true)
                }
            }
        case .instance, .nested:
            return withRegister(name) { register, base in
                register.perform(change, rest, author, base: base, isEntry: false)
            }
        case .property: return .malformed
        }
    }

    private mutating func withExisting(list name: SyncString, _ body: (inout ListTree) -> Outcome) -> Outcome {
        guard fields[name] != nil else { return .malformed }
        return withList(name, body)
    }

    /// Applies a change of a whole property.
    private mutating func perform(_ change: Change, on name: SyncString, _ author: Author) -> Outcome {
        switch change {
        case .set, .increment:
            return withRegister(name) { register, base in
                register.perform(change, [], author, base: base, isEntry: false)
            }
        case .insert(_, let gap, let first, let values):
            return withList(name) { $0.insert(values, first: first, gap, author) }
        case .remove(_, let references): return withList(name) { $0.remove(references, author) }
        case .move(_, let reference, let gap, let number):
            return withList(name) { $0.move(reference, gap, number: number, author) }
        case .clearList(_, let hidden): return withList(name) { $0.clear(hidden: hidden, author) }
        case .assignList(_, let hidden, let gap, let first, let values):
            return withList(name) { $0.assign(values, first: first, gap, hidden: hidden, author, origin: .real) }
        case .insertIntoSet, .removeFromSet, .clearSet, .assignSet:
            return withSet(name, author.mark(.real)) { $0.perform(change, author) }
        case .clearDictionary, .assignDictionary:
            return withDictionary(name, author.mark(.real)) { $0.perform(change, author) }
        case .create, .delete, .removeEntry: return .malformed
        }
    }
}

extension Register {
    /// - Parameter isEntry: A Boolean value that indicates whether the register is an entry of a dictionary property,
    ///   which can be removed.
    mutating func perform(
        _ change: Change,
        _ path: ArraySlice<Place.Step>,
        _ author: Author,
        base: Mark,
        isEntry: Bool
    ) -> Outcome {
        if case .instance(let reference)? = path.first {
            return edit(reference, author, base: base) { $0.perform(change, path.dropFirst(), author) }
        }
        var keys: [SyncString] = []
        for step in path {
            guard case .nested(let key) = step else { return .malformed }
            keys.append(key)
        }
        switch change {
        case .set(_, let value, let origin):
            if author.isRefused { return .done }
            let mark = author.mark(origin)
            if keys.isEmpty {
                set(Held(value, mark, author), mark, base: base)
            } else {
                if case .embedded = value { return .malformed }
                edit(keys, .set(value), mark, base: base)
            }
        case .increment(_, let number):
            if author.isRefused { return .done }
            if keys.isEmpty, var sum = author.fill, number != 0, isNull(isEntry: isEntry) {
                // The author was shown `fill` instead of null, and incremented it.
                sum.add(number)
                set(.value(sum), author.mark(.real), base: base)
            } else {
                edit(keys, .add(number), author.mark(.real), base: base)
            }
        case .removeEntry:
            guard isEntry || !keys.isEmpty else { return .malformed }
            if author.isRefused { return .done }
            if keys.isEmpty {
                set(.absent, author.mark(.real), base: base)
            } else {
                edit(keys, .remove, author.mark(.real), base: base)
            }
        default: return .malformed
        }
        return .done
    }
}

extension Register {
    /// Returns whether the value is null. A missing entry isn't null.
    fileprivate func isNull(isEntry: Bool) -> Bool {
        // Edits never change null into another value, or another value into null.
        switch held {
        case .value(.null): true
        case .absent: !isEntry
        case .value, .instance: false
        }
    }
}

extension KeyedCollection where Key == SetElement {
    fileprivate mutating func perform(_ change: Change, _ author: Author) -> Outcome {
        let mark = author.mark(.real)
        switch change {
        case .insertIntoSet(_, let values), .removeFromSet(_, let values):
            let isInsert = if case .insertIntoSet = change { true } else { false }
            let elements = values.compactMap(SetElement.init)
            guard elements.count == values.count else { return .malformed }
            if author.isRefused { return .done }
            for (element, value) in zip(elements, values) { set(element, isInsert ? .value(value) : .absent, mark) }
        case .clearSet(_, let hidden):
            let spared = hidden.compactMap(SetElement.init)
            guard spared.count == hidden.count else { return .malformed }
            if !author.isRefused { clear(author, hidden: Set(spared)) }
        case .assignSet(_, let hidden, let values): return assign(values, mark, author, hidden: hidden)
        default: return .malformed
        }
        return .done
    }
}

extension KeyedCollection where Key == SyncString {
    fileprivate mutating func perform(_ change: Change, _ author: Author) -> Outcome {
        switch change {
        case .clearDictionary(_, let hidden):
            if !author.isRefused { clear(author, hidden: Set(hidden)) }
        case .assignDictionary(_, let hidden, let value):
            return assign(value, author.mark(.real), author, hidden: hidden)
        default: return .malformed
        }
        return .done
    }
}
