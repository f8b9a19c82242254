import FreeholdSyncCore

/// "Insert into a list: all elements. Remove an element and insert beside it: both. Change an element of a list and remove it: it is removed. Move an
/// element: once, in the place of the later move. Clear a list, or assign it, and insert: what the author of the clear hadn't seen stays. Assign, both:
/// the later assignment, alone."
struct ListRule {
    private struct Element {
        var value: MergedContent
        /// The writes of the value.
        var writes: [(moment: ConflictRules.Moment, edit: LocalEdit)] = []
        var isRemoved = false
        /// An assignment inserted it.
        var assigned: ConflictRules.Moment?
        let device: Int?
        /// The devices that moved it, and the moves that were refused.
        var movers: Set<Int> = []
        var refusedMovers: Set<Int> = []
    }

    private var elements: [Element] = []
    /// The elements that each device shows, as indices.
    private var views: [Int: [Int]] = [:]
    private let base: [Int]

    init(_ base: MergedContent?, _ edits: [PropertyEdit]) {
        var first: [MergedContent] = []
        if case .list(let elements)? = base { first = elements }
        elements = first.map { Element(value: $0, device: nil) }
        self.base = Array(elements.indices)
        for edit in edits { take(edit) }
        guard let last = edits.last(where: { $0.isAssignment && !$0.isRefused }) else { return }
        for index in elements.indices {
            guard let assigned = elements[index].assigned, assigned < last.moment, elements[index].device != last.device
            else { continue }
            elements[index].isRemoved = true
        }
    }

    private mutating func take(_ edit: PropertyEdit) {
        var view = views[edit.device] ?? base
        defer { views[edit.device] = view }
        if let made = edit.made {
            guard case .list(let contents) = made.content else { return }
            insert(contents, at: 0, by: edit, isAssigned: true, into: &view)
            return
        }
        if case .element(let index)? = edit.rest.first {
            if !edit.isRefused { elements[view[index]].writes.append((edit.moment, edit.edit)) }
            return
        }
        switch edit.edit {
        case .insert(_, let at, let contents): insert(contents, at: at, by: edit, isAssigned: false, into: &view)
        case .remove(_, let at, let count):
            remove(view[at..<at + count], edit)
            view.removeSubrange(at..<at + count)
        case .move(_, let from, let to):
            let element = view.remove(at: from)
            view.insert(element, at: to)
            if edit.isRefused {
                elements[element].refusedMovers.insert(edit.device)
            } else {
                elements[element].movers.insert(edit.device)
            }
        case .clearList:
            clear(edit)
            view = []
        case .assignList(_, _, let at, let contents):
            clear(edit)
            view = []
            insert(contents, at: at, by: edit, isAssigned: true, into: &view)
        default: preconditionFailure("\(edit.edit) isn't an edit of a list")
        }
    }

    private mutating func insert(
        _ contents: [MergedContent],
        at index: Int,
        by edit: PropertyEdit,
        isAssigned: Bool,
        into view: inout [Int]
    ) {
        let new = elements.count..<elements.count + contents.count
        for content in contents {
            var element = Element(value: content, device: edit.device)
            element.assigned = isAssigned ? edit.moment : nil
            element.isRemoved = edit.isRefused
            elements.append(element)
        }
        view.insert(contentsOf: new, at: index)
    }

    private mutating func remove(_ indices: ArraySlice<Int>, _ edit: PropertyEdit) {
        if edit.isRefused { return }
        for index in indices { elements[index].isRemoved = true }
    }

    /// Removes all elements that its author has seen, like in a set, including those that a refused change of the
    /// author had removed before.
    private mutating func clear(_ edit: PropertyEdit) {
        if edit.isRefused { return }
        for index in elements.indices where elements[index].device == nil || elements[index].device == edit.device {
            elements[index].isRemoved = true
        }
    }

    private func value(_ element: Element) -> MergedContent {
        var value = element.value
        for (_, edit) in element.writes.sorted(by: { $0.moment < $1.moment }) {
            switch edit {
            case .set(_, let content, _): value = content
            case .increment(_, let number):
                if case .value(.int(let old)) = value { value = .value(.int(old &+ number)) }
            default: break
            }
        }
        return value
    }

    /// The final list, in the order of the texts.
    var end: MergedContent {
        .list(elements.filter { !$0.isRemoved }.map(value).sorted { "\($0)" < "\($1)" })
    }

    /// The order in which each device showed the remaining elements that no other device moved.
    var orders: [[MergedContent]] {
        views.map { device, view in
            view.compactMap { index in
                let element = elements[index]
                let isElsewhere =
                    !element.movers.subtracting([device]).isEmpty || element.refusedMovers.contains(device)
                return element.isRemoved || isElsewhere ? nil : value(element)
            }
        }
    }
}
