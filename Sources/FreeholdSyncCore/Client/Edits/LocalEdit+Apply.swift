/// The error of an edit that names a missing object, element or entry.
public struct MisplacedEdit: Error, Hashable {
    public let edit: LocalEdit

    package init(edit: LocalEdit) { self.edit = edit }
}

extension LocalEdit {
    /// Applies the edit to the properties of an object.
    ///
    /// - Parameter contents: The properties of the object that is edited. `nil` if the object doesn't exist.
    /// - Throws: `MisplacedEdit` if the edit names a missing object, element or entry. Then `contents` is unchanged.
    public func apply(to contents: inout [SyncString: MergedContent]?) throws {
        switch self {
        case .create(_, let new, _):
            guard contents == nil else { throw MisplacedEdit(edit: self) }
            contents = new
        case .delete:
            guard contents != nil else { throw MisplacedEdit(edit: self) }
            contents = nil
        default:
            guard var fields = contents, let path = place?.path else { throw MisplacedEdit(edit: self) }
            try apply(to: &fields, path[...])
            contents = fields
        }
    }

    private func apply(to fields: inout [SyncString: MergedContent], _ path: ArraySlice<LocalPlace.Step>) throws {
        guard case .property(let name)? = path.first else { throw MisplacedEdit(edit: self) }
        var content = fields[name]
        try apply(to: &content, path.dropFirst())
        fields[name] = content
    }

    private func apply(to content: inout MergedContent?, _ path: ArraySlice<LocalPlace.Step>) throws {
        switch (path.first, content) {
        case (nil, _): try perform(on: &content)
        case (.property?, .embedded(var fields)?):
            try apply(to: &fields, path)
            content = .embedded(fields)
        case (.element(let index)?, .list(var elements)?) where elements.indices.contains(index):
            var element: MergedContent? = elements[index]
            try apply(to: &element, path.dropFirst())
            guard let element else { throw MisplacedEdit(edit: self) }
            elements[index] = element
            content = .list(elements)
        case (.entry(let key)?, .dictionary(var entries)?):
            try apply(to: &entries[key], path.dropFirst())
            content = .dictionary(entries)
        case (.entry(let key)?, nil), (.entry(let key)?, .value(.null)?):
            var entry: MergedContent?
            try apply(to: &entry, path.dropFirst())
            content = .dictionary(entry.map { [key: $0] } ?? [:])
        case (.nested?, .value(var value)?):
            var keys: [SyncString] = []
            for case .nested(let key) in path { keys.append(key) }
            guard keys.count == path.count, performNested(on: &value, keys[...]) else {
                throw MisplacedEdit(edit: self)
            }
            content = .value(value)
        default: throw MisplacedEdit(edit: self)
        }
    }

    private func performNested(on value: inout SyncValue, _ keys: ArraySlice<SyncString>) -> Bool {
        switch self {
        case .set(_, .value(let new), _): return value.replace(keys, by: new)
        case .removeEntry: return value.replace(keys, by: nil)
        case .increment(_, let number):
            guard case .int(let old)? = value.nested(keys) else { return false }
            return value.replace(keys, by: .int(old &+ number))
        default: return false
        }
    }

    private func perform(on content: inout MergedContent?) throws {
        switch self {
        case .set(_, let new, _): content = new
        case .increment(_, let number):
            guard case .value(.int(let old))? = content else { throw MisplacedEdit(edit: self) }
            content = .value(.int(old &+ number))
        case .removeEntry: content = nil
        case .insert, .remove, .move, .clearList, .assignList:
            var elements: [MergedContent] = []
            if case .list(let old)? = content { elements = old }
            try perform(on: &elements)
            content = .list(elements)
        case .insertIntoSet, .removeFromSet, .clearSet, .assignSet:
            var elements: [SetElement: SyncValue] = [:]
            if case .set(let old)? = content { elements = old }
            try perform(on: &elements)
            content = .set(elements)
        case .clearDictionary(_, let hidden):
            guard case .dictionary(let old)? = content else { break }
            content = .dictionary(old.filter { hidden.contains($0.key) })
        case .assignDictionary(_, let hidden, let new):
            var entries: [SyncString: MergedContent] = [:]
            if case .dictionary(let old)? = content { entries = old.filter { hidden.contains($0.key) } }
            content = .dictionary(entries.merging(new) { $1 })
        case .create, .delete: throw MisplacedEdit(edit: self)
        }
    }

    private func perform(on elements: inout [MergedContent]) throws {
        switch self {
        case .insert(_, let index, let new) where 0...elements.count ~= index:
            elements.insert(contentsOf: new, at: index)
        case .remove(_, let index, let count)
        where index >= 0 && count >= 0 && index <= elements.count && count <= elements.count - index:
            elements.removeSubrange(index..<index + count)
        case .move(_, let from, let to) where elements.indices.contains(from) && elements.indices.contains(to):
            elements.insert(elements.remove(at: from), at: to)
        case .clearList(_, let hidden): elements = Self.spared(elements, hidden)
        case .assignList(_, let hidden, let index, let new):
            var left = Self.spared(elements, hidden)
            guard 0...left.count ~= index else { throw MisplacedEdit(edit: self) }
            left.insert(contentsOf: new, at: index)
            elements = left
        default: throw MisplacedEdit(edit: self)
        }
    }

    /// Returns the elements at the hidden positions.
    private static func spared(_ elements: [MergedContent], _ hidden: [Int]) -> [MergedContent] {
        let spared = Set(hidden)
        return elements.enumerated().filter { spared.contains($0.offset) }.map(\.element)
    }

    private func perform(on elements: inout [SetElement: SyncValue]) throws {
        switch self {
        case .insertIntoSet(_, let values):
            for value in values {
                guard let element = SetElement(value) else { throw MisplacedEdit(edit: self) }
                elements[element] = value
            }
        case .removeFromSet(_, let values):
            for value in values { SetElement(value).map { elements[$0] = nil } }
        case .clearSet(_, let hidden):
            let spared = Set(hidden.compactMap(SetElement.init))
            elements = elements.filter { spared.contains($0.key) }
        case .assignSet(_, let hidden, let values):
            let spared = Set(hidden.compactMap(SetElement.init))
            var new = elements.filter { spared.contains($0.key) }
            for value in values {
                guard let element = SetElement(value) else { throw MisplacedEdit(edit: self) }
                new[element] = value
            }
            elements = new
        default: break
        }
    }
}
