internal import FreeholdRealmWire
internal import FreeholdSyncCore

/// Translates a changeset of an official client to the changes of a commit, and applies it to the client's state.
///
/// Edits of lists name elements by their identity. New objects, new embedded objects, and single values are written in the form that they
/// have at the end of the changeset.
struct CommitMaker {
    private(set) var state: WireState
    private let schema: WireSchema
    /// The shown state of objects for which it differs from `state`. It determines whether links to objects that the changeset deletes are removed.
    private let shown: [WireObject: WireFields]
    /// The first number of the commit's own elements. The numbers of a file's commits don't overlap.
    private let firstNumber: OwnNumber
    private var nextNumber: OwnNumber

    private var drafts: [Draft] = []
    /// The places that are written at the end, in the order of their first writes, and whether the last write was a default.
    private var written: [Place] = []
    private var origins: [Place: Origin] = [:]
    /// The objects that the changeset creates, with the fields that it wrote.
    private var fresh: [WireObject: FreshObject] = [:]
    /// The places whose whole content is new.
    private var freshPlaces: Set<Place> = []
    /// The objects that the changeset deletes.
    private let erased: Set<WireObject>
    /// The instructions for new objects that aren't applied yet.
    private var waiting: [Instruction] = []

    private struct FreshObject {
        var draft: Int
        var fields: [WireText: Bool] = [:]
    }

    private enum Draft {
        case done(Change)
        case create(WireObject)
        /// An insertion whose value is read at the end.
        case insert(Place, Gap, OwnNumber)
    }

    /// The place of an instruction.
    private enum Spot {
        /// A place inside of new content, which is written as a whole.
        case fresh
        /// A place inside of a list in a mixed value. The whole list is one register.
        case inRegister(Place)
        case place(Place, WireValue?, ColumnSpec?)
    }

    /// A changeset that doesn't fit the state.
    struct Fault: Error {
        let reason: String
    }

    /// - Parameters:
    ///   - state: The client's state before the changeset, with all objects that it touches.
    ///   - number: The number of the commit.
    init(_ changeset: Changeset, state: consuming WireState, shown: [WireObject: WireFields], number: UInt64) {
        schema = state.schema
        self.shown = shown
        self.state = state
        firstNumber = number << 32
        nextNumber = firstNumber
        erased = Set(
            changeset.instructions.compactMap { if case .eraseObject(let object) = $0 { object } else { nil } }
        )
    }

    /// The number of element numbers that are reserved for one commit.
    private static let mostNumbers: OwnNumber = 1 << 32

    /// Removes and returns the state after the changeset. It is removed so that the caller can change it without a copy.
    mutating func takeState() -> WireState {
        defer { state = WireState() }
        return state
    }

    // MARK: Running

    /// Returns the changes of the changeset.
    mutating func changes(of changeset: Changeset) throws(Fault) -> [Change] {
        for instruction in changeset.instructions {
            if let object = instruction.object, fresh[object] != nil {
                if case .eraseObject = instruction {
                    try flush()
                    if let made = fresh.removeValue(forKey: object) { drafts[made.draft] = .done(.none(object)) }
                    try apply(instruction)
                } else {
                    noteField(of: instruction, in: object)
                    waiting.append(instruction)
                }
                continue
            }
            try flush()
            try take(instruction)
        }
        try flush()
        return try finish()
    }

    private mutating func flush() throws(Fault) {
        guard !waiting.isEmpty else { return }
        let changeset = Changeset(waiting)
        waiting = []
        do throws(ApplyError) { try state.apply(changeset, as: ElementID.atPosition(0).change) } catch {
            throw Fault(reason: error.reason)
        }
    }

    private mutating func apply(_ instruction: Instruction, as change: UInt64? = nil) throws(Fault) {
        do throws(ApplyError) { try state.apply(Changeset([instruction]), as: change) } catch {
            throw Fault(reason: error.reason)
        }
    }

    private mutating func noteField(of instruction: Instruction, in object: WireObject) {
        guard case .update(let path, _, let mark) = instruction else { return }
        let isDefault = path.elements.isEmpty && mark == .field(isDefault: true)
        fresh[object]?.fields[path.field] = isDefault
    }

    private mutating func number() -> OwnNumber {
        defer { nextNumber += 1 }
        return nextNumber
    }

    // MARK: Instructions

    private mutating func take(_ instruction: Instruction) throws(Fault) {
        switch instruction {
        case .addTable, .addColumn: return
        case .eraseTable, .eraseColumn: throw Fault(reason: "Classes and fields can't be erased")
        case .createObject(let object):
            guard object.sync != nil else { throw Fault(reason: "A name isn't UTF-8") }
            if state[object] == nil {
                fresh[object] = FreshObject(draft: drafts.count)
                drafts.append(.create(object))
            }
            try apply(instruction)
        case .eraseObject(let object):
            guard let name = object.sync else { throw Fault(reason: "A name isn't UTF-8") }
            if state[object] != nil { drafts.append(.done(.delete(name, .edit))) }
            try apply(instruction)
        case .update(let path, let value, let mark): try update(path, to: value, mark: mark, by: instruction)
        case .addInteger(let path, let amount):
            if case .place(let place, let value, _) = try spot(path, upTo: path.elements.count) {
                if !writes(place), value != .null { drafts.append(.done(.increment(place, amount))) }
            }
            try apply(instruction)
        case .arrayInsert(let path, let value, _):
            let spot = try self.spot(path, upTo: path.elements.count - 1)
            guard case .place(let place, .list(let list)?, _) = spot, let index = path.lastIndex,
                Int(index) <= list.elements.count
            else { return try takeInRegister(spot, instruction) }
            let own = number()
            let gap = gap(list, before: Int(index))
            if let plain = value.sync {
                drafts.append(.done(.insert(place, gap, first: own, [plain])))
            } else {
                drafts.append(.insert(place, gap, own))
                freshPlaces.insert(place.element(.own(own)))
            }
            try apply(instruction, as: ElementID.pending(own).change)
        case .arrayMove(let path, let target, _):
            let spot = try self.spot(path, upTo: path.elements.count - 1)
            guard case .place(let place, .list(let list)?, _) = spot, let index = path.lastIndex,
                list.elements.indices.contains(Int(index)), list.elements.indices.contains(Int(target))
            else { return try takeInRegister(spot, instruction) }
            try move(list, from: Int(index), to: Int(target), at: place, path, instruction)
        case .arrayErase(let path, _):
            let spot = try self.spot(path, upTo: path.elements.count - 1)
            guard case .place(let place, .list(let list)?, _) = spot, let index = path.lastIndex,
                list.elements.indices.contains(Int(index))
            else { return try takeInRegister(spot, instruction) }
            drafts.append(.done(.remove(place, [reference(list, Int(index))])))
            try apply(instruction)
        case .clear(let path, let kind): try clear(path, kind, instruction)
        case .setInsert(let path, let value), .setErase(let path, let value):
            let spot = try self.spot(path, upTo: path.elements.count)
            guard let plain = value.sync else { throw Fault(reason: "A set contains something that isn't plain") }
            if case .place(let place, _, _) = spot {
                if case .setInsert = instruction {
                    drafts.append(.done(.insertIntoSet(place, [plain])))
                } else {
                    drafts.append(.done(.removeFromSet(place, [plain])))
                }
            }
            try apply(instruction)
        }
    }

    /// Applies an instruction to content that is written as a whole.
    private mutating func takeInRegister(_ spot: Spot, _ instruction: Instruction) throws(Fault) {
        switch spot {
        case .fresh: break
        case .inRegister(let place), .place(let place, .scalar?, _), .place(let place, nil, _): write(place)
        case .place(let place, .list?, let column) where column?.kind == .mixed && column?.collection == .single:
            write(place)
        case .place: break
        }
        try apply(instruction)
    }

    private mutating func update(
        _ path: WirePath,
        to value: Payload,
        mark: UpdateMark,
        by instruction: Instruction
    ) throws(Fault) {
        let spot = try self.spot(path, upTo: path.elements.count)
        switch spot {
        case .fresh: break
        case .inRegister(let place): write(place)
        case .place(let place, let old, _):
            // An existing embedded object isn't replaced, except at a key of a dictionary.
            if value == .object, case .object? = old, !isEntry(place) { break }
            if value == .null, dropsLink(path, old) { break }
            write(place, mark == .field(isDefault: true) ? .byDefault : .real)
            switch value {
            case .object, .list, .dictionary:
                if !keeps(old, value) { freshPlaces.insert(place) }
            default: break
            }
        }
        try apply(instruction)
    }

    /// Returns whether an update doesn't change an existing collection.
    private func keeps(_ old: WireValue?, _ value: Payload) -> Bool {
        switch (old, value) {
        case (.list?, .list), (.dictionary?, .dictionary): true
        default: false
        }
    }

    private func isEntry(_ place: Place) -> Bool { if case .entry? = place.path.last { true } else { false } }

    /// Returns a Boolean value that indicates whether a link is removed because its object is deleted, while another client has written
    /// the place.
    private func dropsLink(_ path: WirePath, _ old: WireValue?) -> Bool {
        guard case .scalar(.link(let target))? = old, erased.contains(target), path.elements.isEmpty,
            let shown = shown[path.object]
        else { return false }
        return shown[path.field] != state[path.object]?[path.field]
    }

    private mutating func move(
        _ list: WireList,
        from index: Int,
        to target: Int,
        at place: Place,
        _ path: WirePath,
        _ instruction: Instruction
    ) throws(Fault) {
        let own = number()
        var rest = list
        let element = rest.elements.remove(at: index)
        drafts.append(.done(.move(place, reference(list, index), gap(rest, before: target), number: own)))
        try apply(instruction)
        guard let old = element.id else { return }
        // The element is named after its new slot.
        state[path.object] = state[path.object]?.mappingIDs { $0 == old ? .pending(own) : $0 }
        if freshPlaces.remove(place.element(old.reference)) != nil {
            freshPlaces.insert(place.element(.own(own)))
        }
    }

    private mutating func clear(_ path: WirePath, _ kind: CollectionKind, _ instruction: Instruction) throws(Fault) {
        switch try spot(path, upTo: path.elements.count) {
        case .fresh: break
        case .inRegister(let place): write(place)
        case .place(let place, _, let column):
            guard let column, column.collection != .single, place.path.count == 1 || isProperty(place) else {
                write(place)
                freshPlaces.insert(place)
                break
            }
            switch column.collection {
            case .list: drafts.append(.done(.clearList(place, hidden: [])))
            case .set: drafts.append(.done(.clearSet(place, hidden: [])))
            case .dictionary: drafts.append(.done(.clearDictionary(place, hidden: [])))
            case .single: break
            }
        }
        try apply(instruction)
    }

    private func isProperty(_ place: Place) -> Bool {
        if case .property? = place.path.last { true } else { false }
    }

    private mutating func write(_ place: Place, _ origin: Origin = .real) {
        if origins.updateValue(origin, forKey: place) == nil { written.append(place) }
    }

    private func writes(_ place: Place) -> Bool { origins[place] != nil }

    // MARK: Places

    private func reference(_ list: WireList, _ index: Int) -> ElementReference {
        list.elements[index].id?.reference ?? .confirmed(index)
    }

    /// Returns the neighbours of a position.
    private func gap(_ list: WireList, before index: Int) -> Gap {
        Gap(
            after: index > 0 ? reference(list, index - 1) : nil,
            before: index < list.elements.count ? reference(list, index) : nil
        )
    }

    /// Follows a path through its field and some of its steps.
    private func spot(_ path: WirePath, upTo count: Int) throws(Fault) -> Spot {
        guard let object = path.object.sync, let fields = state[path.object] else {
            throw Fault(reason: "The object of a path is missing")
        }
        guard count >= 0 else { throw Fault(reason: "A path ends too early") }
        var place = Place(object, [])
        var value: WireValue? = .object(fields)
        var table: WireText? = path.object.table
        var column: ColumnSpec?
        for (position, step) in ([.name(path.field)] + path.elements.prefix(count)).enumerated() {
            // The field of a dictionary or list, which contains `value`.
            let container = column
            switch (step, value) {
            case (.name(let name), .object(let fields)?):
                guard let own = table, let found = schema[own]?[name], let text = name.sync else {
                    throw Fault(reason: "A field of a path is missing")
                }
                if position > 0 { place = place.instance(.known) }
                place = place.property(text)
                (value, column) = (fields[name] ?? found.initialValue, found)
                table = schema.isEmbedded(found) ? found.target : nil
            case (.name(let name), .dictionary(let entries)?):
                guard let text = name.sync else { throw Fault(reason: "A key isn't UTF-8") }
                let isField = container?.collection == .dictionary && isProperty(place)
                place = isField ? place.entry(text) : place.nested(text)
                value = entries[name]
            case (.index(let index), .list(let list)?):
                guard container?.collection == .list, isProperty(place) else { return .inRegister(place) }
                guard list.elements.indices.contains(Int(index)) else {
                    throw Fault(reason: "A position is outside of the list")
                }
                place = place.element(reference(list, Int(index)))
                value = list.elements[Int(index)].value
            default: throw Fault(reason: "A step of a path doesn't fit the value at its place")
            }
            if freshPlaces.contains(place) { return .fresh }
        }
        // A list in a mixed value is one register.
        if case .list? = value, !(column?.collection == .list && isProperty(place)) { return .inRegister(place) }
        return .place(place, value, column)
    }

    // MARK: The end

    private mutating func finish() throws(Fault) -> [Change] {
        var changes: [Change] = []
        for draft in drafts {
            switch draft {
            case .done(let change): if !change.isNothing { changes.append(change) }
            case .create(let object): if let change = try create(object) { changes.append(change) }
            case .insert(let place, let gap, let number):
                let own = place.element(.own(number))
                let (found, target) = try self.value(at: own) ?? (.object([:]), nil)
                var value = found
                changes.append(.insert(place, gap, first: number, [try sync(&value, target)]))
                put(value, at: own)
            }
        }
        for place in written {
            let object = WireObject(place.object)
            guard state[object] != nil, fresh[object] == nil else { continue }
            if let (found, target) = try self.value(at: place) {
                var value = found
                changes.append(.set(place, try sync(&value, target), origins[place] ?? .real))
                put(value, at: place)
            } else {
                switch place.path.last {
                case .entry?, .nested?: changes.append(.removeEntry(place))
                default: break
                }
            }
        }
        guard nextNumber - firstNumber < Self.mostNumbers else {
            throw Fault(reason: "A changeset has too many elements")
        }
        return changes
    }

    private mutating func create(_ object: WireObject) throws(Fault) -> Change? {
        guard let name = object.sync, let made = fresh[object], var fields = state[object] else { return nil }
        let new = try newFields(&fields, of: object.table, writing: made.fields)
        state[object] = fields
        return .create(name, new)
    }

    /// Returns the fields of a new object, and names the elements of its lists.
    ///
    /// - Parameter written: The fields that are named although they have their initial value, and whether that is a default.
    private mutating func newFields(
        _ fields: inout WireFields,
        of table: WireText?,
        writing written: [WireText: Bool] = [:]
    ) throws(Fault) -> [NewField] {
        var new: [NewField] = []
        var names = Set(fields.keys)
        names.formUnion(written.keys)
        for name in names.sorted() {
            guard let text = name.sync else { throw Fault(reason: "A name isn't UTF-8") }
            guard let column = table.flatMap({ schema[$0]?[name] }) else { continue }
            var value = fields[name] ?? column.initialValue
            guard let content = try content(&value, column) else { continue }
            if fields[name] != nil { fields[name] = value }
            new.append(NewField(text, content, written[name] == true ? .byDefault : .real))
        }
        return new
    }

    /// Returns the content of a new field, and names the elements of its list. Returns `nil` for an empty collection.
    private mutating func content(_ value: inout WireValue, _ column: ColumnSpec) throws(Fault) -> NewContent? {
        // A collection in a mixed value is a single value.
        guard column.collection != .single else { return .value(try sync(&value, column.target)) }
        switch value {
        case .list(var list):
            guard !list.elements.isEmpty else { return nil }
            let first = nextNumber
            nextNumber += OwnNumber(list.elements.count)
            var values: [SyncValue] = []
            for index in list.elements.indices {
                list.elements[index].id = .pending(first + OwnNumber(index))
                values.append(try sync(&list.elements[index].value, column.target))
            }
            value = .list(list)
            return .list(first: first, values)
        case .set(let set):
            guard set.count > 0 else { return nil }
            return .set(set.values.compactMap(\.sync))
        case .dictionary(var entries):
            guard !entries.isEmpty else { return nil }
            let dictionary = try dictionary(&entries, column.target)
            value = .dictionary(entries)
            return .dictionary(dictionary)
        default: return .value(try sync(&value, column.target))
        }
    }

    private mutating func dictionary(
        _ entries: inout [WireText: WireValue],
        _ target: WireText?
    ) throws(Fault) -> SyncDictionary {
        var pairs: [(key: SyncString, value: SyncValue)] = []
        for key in entries.keys.sorted() {
            guard let text = key.sync else { throw Fault(reason: "A key isn't UTF-8") }
            var value = entries[key] ?? .null
            pairs.append((text, try sync(&value, target)))
            entries[key] = value
        }
        return SyncDictionary(pairs)
    }

    /// Returns a value in the form of a commit. An embedded object is a new one, and the elements of its lists receive names.
    ///
    /// - Parameter target: The class of an embedded object.
    private mutating func sync(_ value: inout WireValue, _ target: WireText?) throws(Fault) -> SyncValue {
        switch value {
        case .scalar(let payload):
            guard let plain = payload.sync else { throw Fault(reason: "A text isn't UTF-8") }
            return plain
        case .object(var fields):
            let own = number()
            let new = try newFields(&fields, of: target)
            value = .object(fields)
            return .embedded(EmbeddedValue(number: own, fields: new))
        case .list(var list):
            var values: [SyncValue] = []
            for index in list.elements.indices { values.append(try sync(&list.elements[index].value, target)) }
            value = .list(list)
            return .list(values)
        case .dictionary(var entries):
            let dictionary = try dictionary(&entries, target)
            value = .dictionary(entries)
            return .dictionary(dictionary)
        case .set: throw Fault(reason: "A set isn't a single value")
        }
    }

    /// Replaces the value at a place by one that differs in the names of its elements.
    private mutating func put(_ new: WireValue, at place: Place) {
        guard case .object = new, let fields = state[WireObject(place.object)] else { return }
        var value = WireValue.object(fields)
        Self.put(new, at: place.path[...], in: &value)
        if case .object(let fields) = value { state[WireObject(place.object)] = fields }
    }

    private static func put(_ new: WireValue, at path: ArraySlice<Place.Step>, in value: inout WireValue) {
        guard let step = path.first else { return value = new }
        let rest = path.dropFirst()
        switch (step, value) {
        case (.property(let name), .object(var fields)):
            guard var inner = fields[WireText(name)] else { return }
            put(new, at: rest, in: &inner)
            fields[WireText(name)] = inner
            value = .object(fields)
        case (.instance, .object): put(new, at: rest, in: &value)
        case (.element(let reference), .list(var list)):
            guard let index = list.elements.firstIndex(where: { $0.id?.reference == reference }) else { return }
            put(new, at: rest, in: &list.elements[index].value)
            value = .list(list)
        case (.entry(let key), .dictionary(var entries)), (.nested(let key), .dictionary(var entries)):
            guard var inner = entries[WireText(key)] else { return }
            put(new, at: rest, in: &inner)
            entries[WireText(key)] = inner
            value = .dictionary(entries)
        default: return
        }
    }

    /// Returns the present value at a place, and the class of an embedded object there. Returns `nil` if the place doesn't exist any more.
    private func value(at place: Place) throws(Fault) -> (value: WireValue, target: WireText?)? {
        let object = WireObject(place.object)
        guard let fields = state[object] else { return nil }
        var value: WireValue? = .object(fields)
        var table: WireText? = object.table
        for step in place.path {
            switch (step, value) {
            case (.property(let name), .object(let fields)?):
                let field = WireText(name)
                guard let own = table, let column = schema[own]?[field] else { return nil }
                value = fields[field] ?? column.initialValue
                table = schema.isEmbedded(column) ? column.target : nil
            case (.instance, .object?): break
            case (.element(let reference), .list(let list)?):
                let element = list.elements.first { $0.id?.reference == reference }
                guard let element else { return nil }
                value = element.value
            case (.entry(let key), .dictionary(let entries)?), (.nested(let key), .dictionary(let entries)?):
                value = entries[WireText(key)]
            default: return nil
            }
        }
        return value.map { ($0, table) }
    }
}

extension Change {
    /// An empty change, for an object that the same changeset created and deleted.
    fileprivate static func none(_ object: WireObject) -> Change {
        .removeFromSet(Place(object.sync ?? ObjectName("", .null), []), [])
    }

    fileprivate var isNothing: Bool {
        if case .removeFromSet(let place, _) = self { place.path.isEmpty } else { false }
    }
}
