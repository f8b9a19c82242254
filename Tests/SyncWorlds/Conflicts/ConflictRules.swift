import FreeholdSyncCore

/// The rules of the article Conflicts, applied to single transactions that devices made independently. It has no
/// commits, versions or merges, and was written from the article alone.
struct ConflictRules {
    typealias Objects = [ObjectName: [SyncString: MergedContent]]

    /// The work of one device in one transaction.
    struct Transaction {
        let device: Int
        /// No two transactions have the same.
        let time: Int64
        let edits: [LocalEdit]
        /// The objects whose changes a rule of the app forbids.
        let refused: Set<ObjectName>
    }

    /// The final content of an object.
    struct End {
        /// Lists by rising texts of their elements.
        var contents: [SyncString: MergedContent] = [:]
        /// Elements of lists that have to follow each other in this order, with or without other elements in between.
        var orders: [SyncString: [[MergedContent]]] = [:]
    }

    /// The time of an edit. Among the edits of one transaction, the last one is the latest.
    struct Moment: Hashable, Comparable {
        let time: Int64
        let index: Int

        static func < (a: Moment, b: Moment) -> Bool { (a.time, a.index) < (b.time, b.index) }

        /// The moment of all that the devices had before.
        static let before = Moment(time: .min, index: 0)
    }

    /// An edit of an object, with its device and time.
    struct Dated {
        let edit: LocalEdit
        let device: Int
        let moment: Moment
        /// The transaction was refused. Its device continued as if it had been done.
        let isRefused: Bool
    }

    /// - Parameter base: what all devices showed before.
    static func end(of base: Objects, _ transactions: [Transaction]) -> [ObjectName: End] {
        var dated: [ObjectName: [Dated]] = [:]
        for transaction in transactions.sorted(by: { $0.time < $1.time }) {
            for (index, edit) in assignments(in: transaction.edits).enumerated() {
                dated[edit.object, default: []].append(
                    Dated(
                        edit: edit,
                        device: transaction.device,
                        moment: Moment(time: transaction.time, index: index),
                        isRefused: transaction.refused.contains(edit.object)
                    )
                )
            }
        }
        var end: [ObjectName: End] = [:]
        for name in Set(base.keys).union(dated.keys) { end[name] = self.end(of: base[name], dated[name] ?? []) }
        return end
    }

    /// "A list that is emptied and filled in one transaction is assigned."
    private static func assignments(in edits: [LocalEdit]) -> [LocalEdit] {
        var joined: [LocalEdit] = []
        for edit in edits {
            if case .clearList(let place, let hidden)? = joined.last, case .insert(place, let index, let new) = edit {
                joined[joined.count - 1] = .assignList(place, hidden: hidden, at: index, new)
            } else {
                joined.append(edit)
            }
        }
        return joined
    }

    /// - Returns: `nil` if the object doesn't exist.
    private static func end(of base: [SyncString: MergedContent]?, _ edits: [Dated]) -> End? {
        // A deletion beats all work of other devices.
        if edits.contains(where: { if case .delete = $0.edit { !$0.isRefused } else { false } }) { return nil }
        var edits = edits
        if base == nil {
            // Work on an object that a device wasn't allowed to create is removed with it.
            let makers = Set(edits.filter { $0.edit.isCreation && !$0.isRefused }.map(\.device))
            if makers.isEmpty { return nil }
            edits.removeAll { !makers.contains($0.device) }
        }
        var names = Set(base?.keys.map { $0 } ?? [])
        for dated in edits {
            if case .create(_, let contents, _) = dated.edit { names.formUnion(contents.keys) }
            if case .property(let name)? = dated.edit.place?.path.first { names.insert(name) }
        }
        var end = End()
        for name in names {
            let own = edits.compactMap { $0.of(name) }
            switch Kind(name) {
            case .value: end.contents[name] = ValueRule(base?[name], own).end
            case .set: end.contents[name] = SetRule(base?[name], own).end
            case .dictionary: end.contents[name] = DictionaryRule(base?[name], own).end
            case .embedded: end.contents[name] = EmbeddedRule(base?[name], own).end
            case .list:
                let rule = ListRule(base?[name], own)
                end.contents[name] = rule.end
                end.orders[name] = rule.orders
            }
        }
        return end
    }

    /// The types of the properties that histories use.
    private enum Kind {
        case value, set, dictionary, list, embedded

        init(_ name: SyncString) {
            switch name {
            case "set": self = .set
            case "map": self = .dictionary
            case "list": self = .list
            case "home": self = .embedded
            default: self = .value
            }
        }
    }
}

extension LocalEdit {
    fileprivate var isCreation: Bool { if case .create = self { true } else { false } }
}

/// An edit of one property.
struct PropertyEdit {
    let dated: ConflictRules.Dated
    /// The creation of the property with its object: its content, and whether that is a default.
    var made: (content: MergedContent, isDefault: Bool)?

    var edit: LocalEdit { dated.edit }
    var device: Int { dated.device }
    var moment: ConflictRules.Moment { dated.moment }
    var isRefused: Bool { dated.isRefused }
    /// The steps behind the property.
    var rest: [LocalPlace.Step] { Array(dated.edit.place?.path.dropFirst() ?? []) }
}

extension ConflictRules.Dated {
    /// Returns its edit of a property.
    fileprivate func of(_ name: SyncString) -> PropertyEdit? {
        if case .create(_, let contents, let defaults) = edit {
            guard let content = contents[name] else { return nil }
            return PropertyEdit(dated: self, made: (content, defaults.contains(name)))
        }
        return edit.place?.path.first == .property(name) ? PropertyEdit(dated: self) : nil
    }
}

/// "Set one property: the later value. `increment(_:by:)`: the sum; a value that is set later takes earlier increments with it. Default values lose
/// against values that were set."
struct ValueRule {
    private(set) var end: MergedContent?

    init(_ base: MergedContent?, _ edits: [PropertyEdit]) {
        end = base
        let counted = edits.filter { !$0.isRefused }
        for edit in counted.filter({ $0.made?.isDefault == true }) + counted.filter({ $0.made?.isDefault != true }) {
            if let made = edit.made {
                end = made.content
                continue
            }
            switch edit.edit {
            case .set(_, let content, _): end = content
            case .increment(_, let number):
                if case .value(.int(let old))? = end { end = .value(.int(old &+ number)) }
            default: preconditionFailure("\(edit.edit) isn't an edit of a value")
            }
        }
    }
}

/// "Insert into a set, remove from it: per value, the later. Clear, or assign, and insert: what its author hadn't seen stays. Assign, both: the later
/// assignment, alone."
struct SetRule {
    private struct Write {
        let moment: ConflictRules.Moment
        var value: SyncValue?
        var isAssigned = false
        /// `nil`: all devices saw it.
        let device: Int?
    }

    private var writes: [SetElement: [Write]] = [:]

    init(_ base: MergedContent?, _ edits: [PropertyEdit]) {
        if case .set(let elements)? = base {
            for (element, value) in elements {
                writes[element] = [Write(moment: .before, value: value, device: nil)]
            }
        }
        let counted = edits.filter { !$0.isRefused }
        for edit in counted {
            if let made = edit.made {
                guard case .set(let elements) = made.content else { continue }
                write(Array(elements.values), edit, isAssigned: true)
                continue
            }
            switch edit.edit {
            case .insertIntoSet(_, let values): write(values, edit, isAssigned: false)
            case .removeFromSet(_, let values):
                for element in values.compactMap(SetElement.init) {
                    writes[element, default: []].append(
                        Write(moment: edit.moment, value: nil, device: edit.device)
                    )
                }
            case .clearSet: take(seenBy: edit.device)
            case .assignSet(_, _, let values):
                take(seenBy: edit.device)
                write(values, edit, isAssigned: true)
            default: preconditionFailure("\(edit.edit) isn't an edit of a set")
            }
        }
        let last = counted.last { $0.isAssignment }
        for element in writes.keys {
            for index in writes[element]!.indices {
                let write = writes[element]![index]
                if write.isAssigned, let last, write.moment < last.moment, write.device != last.device {
                    writes[element]![index].value = nil
                }
            }
        }
    }

    private mutating func write(_ values: [SyncValue], _ edit: PropertyEdit, isAssigned: Bool) {
        for value in values {
            writes[SetElement(value)!, default: []].append(
                Write(moment: edit.moment, value: value, isAssigned: isAssigned, device: edit.device)
            )
        }
    }

    private mutating func take(seenBy device: Int) {
        for element in writes.keys {
            for index in writes[element]!.indices {
                let author = writes[element]![index].device
                if author == nil || author == device { writes[element]![index].value = nil }
            }
        }
    }

    var end: MergedContent {
        .set(writes.compactMapValues { writes in writes.max { $0.moment < $1.moment }?.value })
    }
}

extension PropertyEdit {
    /// Whether it replaces the whole content of a collection.
    var isAssignment: Bool {
        switch (made?.content, edit) {
        case (.list(let elements)?, _): !elements.isEmpty
        case (.set(let elements)?, _): !elements.isEmpty
        case (.dictionary(let entries)?, _): !entries.isEmpty
        case (nil, .assignList), (nil, .assignSet), (nil, .assignDictionary): true
        default: false
        }
    }
}

/// "Set keys of a dictionary: per key", and as sets.
struct DictionaryRule {
    private struct Write {
        enum Action {
            case set(MergedContent)
            case remove
            case add(Int64)
        }

        let moment: ConflictRules.Moment
        var action: Action
        var isAssigned = false
        let device: Int?
    }

    private var writes: [SyncString: [Write]] = [:]

    init(_ base: MergedContent?, _ edits: [PropertyEdit]) {
        if case .dictionary(let entries)? = base {
            for (key, value) in entries {
                writes[key] = [Write(moment: .before, action: .set(value), device: nil)]
            }
        }
        let counted = edits.filter { !$0.isRefused }
        for edit in counted {
            if let made = edit.made {
                if case .dictionary(let entries) = made.content { assign(entries, edit) }
                continue
            }
            switch edit.edit {
            case .clearDictionary: take(seenBy: edit.device)
            case .assignDictionary(_, _, let entries):
                take(seenBy: edit.device)
                assign(entries, edit)
            default:
                guard case .entry(let key)? = edit.rest.first else {
                    preconditionFailure("\(edit.edit) isn't an edit of a dictionary")
                }
                let action: Write.Action =
                    switch edit.edit {
                    case .set(_, let content, _): .set(content)
                    case .increment(_, let number): .add(number)
                    default: .remove
                    }
                writes[key, default: []].append(Write(moment: edit.moment, action: action, device: edit.device))
            }
        }
        guard let last = counted.last(where: \.isAssignment) else { return }
        for key in writes.keys {
            for index in writes[key]!.indices {
                let write = writes[key]![index]
                if write.isAssigned, write.moment < last.moment, write.device != last.device {
                    writes[key]![index].action = .remove
                }
            }
        }
    }

    private mutating func assign(_ entries: [SyncString: MergedContent], _ edit: PropertyEdit) {
        for (key, content) in entries {
            let write = Write(moment: edit.moment, action: .set(content), isAssigned: true, device: edit.device)
            writes[key, default: []].append(write)
        }
    }

    private mutating func take(seenBy device: Int) {
        for key in writes.keys {
            writes[key]!.removeAll { write in
                guard case .add = write.action else { return false }
                return write.device == device
            }
            for index in writes[key]!.indices {
                let author = writes[key]![index].device
                if author == nil || author == device { writes[key]![index].action = .remove }
            }
        }
    }

    var end: MergedContent {
        .dictionary(
            writes.compactMapValues { writes in
                var value: MergedContent?
                for write in writes.sorted(by: { $0.moment < $1.moment }) {
                    switch write.action {
                    case .set(let content): value = content
                    case .remove: value = nil
                    case .add(let number):
                        if case .value(.int(let old))? = value { value = .value(.int(old &+ number)) }
                    }
                }
                return value
            }
        )
    }
}

/// "Edit an embedded object: both, per property. Edit an embedded object and replace it: the later replacement, whole."
struct EmbeddedRule {
    private struct Instance {
        let moment: ConflictRules.Moment
        /// `nil` for null.
        let contents: [SyncString: MergedContent]?
        var edits: [LocalEdit] = []
        let isRefused: Bool
    }

    private var instances: [Instance] = []

    init(_ base: MergedContent?, _ edits: [PropertyEdit]) {
        /// The instance that each device has there, as an index.
        var shown: [Int: Int] = [:]
        add(base, .before, isRefused: false)
        for edit in edits {
            if let made = edit.made {
                shown[edit.device] = add(made.content, edit.moment, isRefused: edit.isRefused)
            } else if edit.rest.isEmpty, case .set(_, let content, _) = edit.edit {
                shown[edit.device] = add(content, edit.moment, isRefused: edit.isRefused)
            } else if !edit.isRefused {
                instances[shown[edit.device] ?? 0].edits.append(edit.edit)
            }
        }
    }

    @discardableResult
    private mutating func add(_ content: MergedContent?, _ moment: ConflictRules.Moment, isRefused: Bool) -> Int {
        let contents: [SyncString: MergedContent]? = if case .embedded(let fields)? = content { fields } else { nil }
        instances.append(Instance(moment: moment, contents: contents, isRefused: isRefused))
        return instances.count - 1
    }

    var end: MergedContent? {
        guard let last = instances.filter({ !$0.isRefused }).max(by: { $0.moment < $1.moment }),
            var contents = last.contents
        else { return nil }
        for edit in last.edits {
            guard case .property(let name)? = edit.place?.path.last else { continue }
            switch edit {
            case .set(_, let content, _): contents[name] = content
            case .increment(_, let number):
                if case .value(.int(let old))? = contents[name] { contents[name] = .value(.int(old &+ number)) }
            default: break
            }
        }
        return .embedded(contents)
    }
}
