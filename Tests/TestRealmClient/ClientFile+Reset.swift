@testable import FreeholdRealmWire

extension ClientFile {
    /// Replaces the objects by those of a fresh file, and plays the unanswered transactions again if `isRecovering`.
    mutating func reset(to fresh: ClientFile, isRecovering: Bool) throws {
        var recovered: [ClientCommit] = []
        var writer = LocalWriter(state: fresh.state, version: 0)
        if isRecovering {
            var lists = RecoveredLists()
            for commit in history where commit.isUploaded && commit.version > upload.client {
                var replay = RecoveryReplay(
                    local: state,
                    commit: commit,
                    lists: lists,
                    writer: writer.next(commit.version)
                )
                try replay.run()
                (lists, writer) = (replay.lists, replay.writer)
                guard !writer.instructions.isEmpty else { continue }
                var entry = commit
                entry.changeset = Changeset(writer.instructions)
                entry.bytes = try entry.changeset.encoded()
                entry.changeset = try Changeset(bytes: entry.bytes)
                entry.reciprocal = nil
                recovered.append(entry)
            }
        }
        // Classes and fields that the fresh file doesn't have would be lost.
        for (name, table) in state.schema.tables {
            guard let other = writer.state.schema[name], other.spec == table.spec else {
                throw LocalError("the class \(name) is missing or different after the reset")
            }
            for column in table.columns where other[column.field] != column {
                throw LocalError("the field \(name).\(column.field) is missing or different after the reset")
            }
        }
        var file = self
        file.state = writer.state
        file.ident = fresh.ident
        file.latest = fresh.latest
        file.download = DownloadCursor(server: fresh.latest.version, client: 0)
        file.upload = UploadCursor(client: 0, server: fresh.latest.version)
        file.history = recovered.map { commit in
            var commit = commit
            commit.remote = fresh.latest.version
            return commit
        }
        file.bootstrap = nil
        let active = file.activeVersion
        file.changeSet(active) { $0.state = .complete }
        if !isRecovering { file.sets.removeAll { $0.version > active } }
        file.note()
        self = file
    }
}

/// The places of elements that a recovery has inserted.
struct RecoveredLists: Sendable {
    struct Tracking: Sendable {
        /// The positions in the fresh list, by the positions in the local one.
        var known: [UInt32: UInt32] = [:]
        var isCopied = false
    }

    /// By the path of the list as the local file had it.
    var lists: [WirePath: Tracking] = [:]
}

extension LocalWriter {
    /// Returns a recording of the next transaction.
    func next(_ version: UInt64) -> LocalWriter { LocalWriter(state: state, version: version) }
}

/// The replay of one transaction on the objects of a fresh file: step 7 of section 5.11.
struct RecoveryReplay {
    /// The objects as the app saw them before the reset.
    let local: WireState
    let commit: ClientCommit
    var lists: RecoveredLists
    var writer: LocalWriter
    private var copied: Set<WirePath> = []

    init(local: WireState, commit: ClientCommit, lists: RecoveredLists, writer: LocalWriter) {
        self.local = local
        self.commit = commit
        self.lists = lists
        self.writer = writer
    }

    /// A path that leads nowhere in the fresh file.
    private struct Skipped: Error {}

    mutating func run() throws {
        for instruction in commit.merged.instructions {
            do { try replay(instruction) } catch is Skipped { continue }
        }
        for path in copied.sorted(by: { $0.text < $1.text }) { try copy(path) }
    }

    private mutating func replay(_ instruction: Instruction) throws {
        switch instruction {
        case .addTable, .addColumn: try writer.record(instruction)
        case .eraseTable, .eraseColumn: throw LocalError("a class or field was erased")
        case .createObject(let object): try writer.make(.create(object))
        case .eraseObject(let object): try writer.make(.delete(object))
        case .update(let path, let value, let mark):
            if path.lastIndex != nil { return try replayElement(instruction, at: path) }
            let place = try translated(path)
            if value == .erased {
                return try writer.make(.removeEntry(place))
            }
            guard let value = try visible(value, at: place) else { return }
            if case .field(let isDefault) = mark {
                try writer.record(.update(at: place, value: value, mark: .field(isDefault: isDefault)))
            }
        case .addInteger(let path, let amount):
            let place = try translated(path)
            guard case .scalar(.int) = writer.state.value(at: place) else { return }
            try writer.make(.add(place, amount))
        case .arrayInsert(let path, _, _), .arrayMove(let path, _, _), .arrayErase(let path, _):
            try replayElement(instruction, at: path)
        case .clear(let path, let kind):
            lists.lists[path] = RecoveredLists.Tracking()
            copied.remove(path)
            for inner in lists.lists.keys where path.contains(inner) { lists.lists[inner] = nil }
            let place = try translated(path)
            try writer.record(.clear(at: place, kind: kind))
        case .setInsert(let path, let value):
            if case .link(let object) = value, writer.state[object] == nil { return }
            try writer.make(.insertIntoSet(try translated(path), value))
        case .setErase(let path, let value): try writer.make(.removeFromSet(try translated(path), value))
        }
    }

    /// Returns a value without links that lead nowhere: null, or `nil` if the place can't be null.
    private func visible(_ value: Payload, at path: WirePath) throws -> Payload? {
        guard case .link(let object) = value, writer.state[object] == nil else { return value }
        guard let column = try? writer.place(path).column else { return nil }
        return column.isNullable || column.collection == .single ? .null : nil
    }

    /// Returns a path with the positions of the fresh file's lists.
    private mutating func translated(_ path: WirePath) throws -> WirePath {
        guard writer.state[path.object] != nil else { throw Skipped() }
        var result = WirePath(object: path.object, field: path.field)
        var list = result
        for (number, element) in path.elements.enumerated() {
            switch element {
            case .name:
                let isLast = number == path.elements.count - 1
                switch writer.state.value(at: result) {
                case .object: break
                case .dictionary(let entries):
                    guard case .name(let name) = element, isLast || entries[name] != nil else { throw Skipped() }
                default: throw Skipped()
                }
                result.elements.append(element)
            case .index(let index):
                guard case .list = writer.state.value(at: result) else { throw Skipped() }
                guard lists.lists[list]?.isCopied != true else { throw Skipped() }
                guard let place = lists.lists[list]?.known[index] else {
                    markCopied(list)
                    throw Skipped()
                }
                result.elements.append(.index(place))
            }
            list.elements.append(element)
        }
        return result
    }

    private mutating func markCopied(_ list: WirePath) {
        lists.lists[list, default: RecoveredLists.Tracking()].isCopied = true
        copied.insert(list)
    }

    private mutating func replayElement(_ instruction: Instruction, at path: WirePath) throws {
        let list = WirePath(object: path.object, field: path.field, elements: path.elements.dropLast())
        let index = path.lastIndex!
        if lists.lists[list]?.isCopied == true {
            copied.insert(list)
            return
        }
        let place = try translated(list)
        guard case .list(let present) = writer.state.value(at: place) else { throw Skipped() }
        let size = UInt32(present.elements.count)
        var tracking = lists.lists[list] ?? RecoveredLists.Tracking()
        func at(_ index: UInt32) -> WirePath {
            var path = place
            path.elements.append(.index(index))
            return path
        }
        switch instruction {
        case .arrayInsert(_, let value, _):
            let position = min(index, size)
            guard let value = try visible(value, at: place) else { return }
            try writer.record(.arrayInsert(at: at(position), value: value, priorSize: size))
            tracking.known = Dictionary(
                uniqueKeysWithValues: tracking.known.map { key, value in
                    (key >= index ? key + 1 : key, value >= position ? value + 1 : value)
                }
            )
            tracking.known[index] = position
        case .update(_, let value, _):
            guard let position = tracking.known[index] else { return markCopied(list) }
            guard let value = try visible(value, at: place) else { return }
            try writer.record(.update(at: at(position), value: value, mark: .element(priorSize: size)))
        case .arrayErase:
            guard let position = tracking.known[index] else { return markCopied(list) }
            try writer.record(.arrayErase(at: at(position), priorSize: size))
            tracking.known[index] = nil
            tracking.known = Dictionary(
                uniqueKeysWithValues: tracking.known.map { key, value in
                    (key > index ? key - 1 : key, value > position ? value - 1 : value)
                }
            )
        case .arrayMove(_, let target, _):
            guard let position = tracking.known[index], let end = tracking.known[target] else {
                return markCopied(list)
            }
            try writer.record(.arrayMove(at: at(position), target: end, priorSize: size))
            func moved(_ place: UInt32, from: UInt32, to: UInt32) -> UInt32 {
                if place == from { return to }
                var place = place
                if place > from { place -= 1 }
                return place >= to ? place + 1 : place
            }
            tracking.known = Dictionary(
                uniqueKeysWithValues: tracking.known.map { key, value in
                    (moved(key, from: index, to: target), moved(value, from: position, to: end))
                }
            )
        default: return
        }
        lists.lists[list] = tracking
    }

    /// Makes a list equal to the local file's.
    private mutating func copy(_ list: WirePath) throws {
        guard case .list(let wanted) = local.value(at: list), writer.state[list.object] != nil,
            case .list = writer.state.value(at: list)
        else { return }
        var target = writer.state
        target.set(.list(wanted), at: list)
        let difference = writer.state.difference(to: target, of: [list.object])
        for instruction in difference.instructions { try writer.record(instruction) }
    }
}

extension WirePath {
    /// Returns a Boolean value that indicates whether the other place is inside this one.
    func contains(_ other: WirePath) -> Bool {
        object == other.object && field == other.field && elements.count < other.elements.count
            && other.elements.starts(with: elements)
    }
}

extension WireState {
    /// Replaces the value at a path that leads to a present value.
    mutating func set(_ value: WireValue, at path: WirePath) {
        guard var fields = self[path.object], let column = schema[path.object.table]?[path.field] else { return }
        func replaced(_ old: WireValue, _ steps: ArraySlice<PathElement>) -> WireValue {
            guard let step = steps.first else { return value }
            switch (step, old) {
            case (.name(let name), .object(var fields)):
                fields[name] = fields[name].map { replaced($0, steps.dropFirst()) } ?? value
                return .object(fields)
            case (.name(let name), .dictionary(var entries)):
                if let inner = entries[name] { entries[name] = replaced(inner, steps.dropFirst()) }
                return .dictionary(entries)
            case (.index(let index), .list(var list)) where index < list.elements.count:
                list.elements[Int(index)].value = replaced(list.elements[Int(index)].value, steps.dropFirst())
                return .list(list)
            default: return old
            }
        }
        fields[path.field] = replaced(fields[path.field] ?? column.initialValue, path.elements[...])
        self[path.object] = fields
    }
}
