@testable import FreeholdRealmWire

/// The app's own writes that the server hasn't answered, and what the app sees of them.
///
/// A download may only hide them if it erases the object, replaces something around their place, or clears their collection.
struct OwnWrites {
    /// The value that the app sees, and the one that it wrote last.
    private var values: [WirePath: (shown: WireValue?, written: Payload)] = [:]
    private var members: [Member: Bool] = [:]
    private var objects: Set<WireObject> = []
    private var elements: [ElementID: WirePath] = [:]

    private struct Member: Hashable {
        var path: WirePath
        var value: Payload
    }

    /// Takes note of the writes of the commits, as the app sees them now.
    init(_ commits: [ClientCommit], in state: WireState) {
        var versions: Set<UInt64> = []
        for commit in commits {
            versions.insert(commit.version)
            // Earlier downloads have removed some writes, for example because they have erased the object and created it again.
            for instruction in commit.merged.instructions { add(instruction, state) }
        }
        for object in Set(commits.flatMap { $0.changeset.instructions.compactMap(\.object) }) {
            Self.forEachElement(of: object, in: state) { id, path in
                if versions.contains(id.change >> 24) { elements[id] = path }
            }
        }
    }

    private mutating func add(_ instruction: Instruction, _ state: WireState) {
        switch instruction {
        case .createObject(let object): if state[object] != nil { objects.insert(object) }
        case .eraseObject(let object):
            objects.remove(object)
            values = values.filter { $0.key.object != object }
            members = members.filter { $0.key.path.object != object }
        case .update(let path, let value, let mark):
            // An object that is missing was erased by a download.
            guard mark == .field(isDefault: false), value != .object, !path.hasIndex, state[path.object] != nil else {
                return
            }
            values[path] = (state.value(at: path), value)
        case .setInsert(let path, let value), .setErase(let path, let value):
            guard !path.hasIndex, state[path.object] != nil else { return }
            members[Member(path: path, value: value)] = state.contains(value, at: path)
        default: return
        }
    }

    private static func forEachElement(
        of object: WireObject,
        in state: WireState,
        _ body: (ElementID, WirePath) -> Void
    ) {
        func search(_ value: WireValue, _ path: WirePath) {
            func inside(_ element: PathElement) -> WirePath {
                WirePath(object: path.object, field: path.field, elements: path.elements + [element])
            }
            switch value {
            case .scalar, .set: return
            case .object(let fields): for (name, value) in fields { search(value, inside(.name(name))) }
            case .dictionary(let entries): for (name, value) in entries { search(value, inside(.name(name))) }
            case .list(let list):
                for (index, element) in list.elements.enumerated() {
                    let path = inside(.index(UInt32(index)))
                    if let id = element.id { body(id, path) }
                    search(element.value, path)
                }
            }
        }
        for (field, value) in state[object] ?? [:] { search(value, WirePath(object: object, field: field)) }
    }

    /// Returns the writes that a merged download has hidden without need.
    func hidden(by merged: [Changeset], in state: WireState) -> [ClientTrap] {
        let incoming = merged.flatMap(\.instructions)
        var traps: [ClientTrap] = []
        func report(_ path: WirePath, _ reason: String) {
            traps.append(ClientTrap(.hidesWrite, rule: "11.2", "\(path.text): \(reason)"))
        }
        for object in objects where state[object] == nil && !incoming.contains(.eraseObject(object)) {
            report(WirePath(object: object, field: ""), "a new object is missing")
        }
        for (path, (shown, written)) in values {
            let now = state.value(at: path)
            // A write that a clear has hidden may return.
            if now.map(\.shape) == shown.map(\.shape) || now.isLike(written) { continue }
            if !Self.isReplaced(path, by: incoming) { report(path, "\(shown.text) became \(now.text)") }
        }
        for (member, isPresent) in members where state.contains(member.value, at: member.path) != isPresent {
            if !Self.isReplaced(member.path, by: incoming) { report(member.path, "the set lost a write") }
        }
        var present: Set<ElementID> = []
        for object in Set(elements.values.map(\.object)) {
            Self.forEachElement(of: object, in: state) { id, _ in present.insert(id) }
        }
        for (id, path) in elements where !present.contains(id) && !Self.isReplaced(path, by: incoming) {
            report(path, "an element is missing")
        }
        return traps
    }

    /// Returns a Boolean value that indicates whether an instruction erases or replaces what contains a place.
    private static func isReplaced(_ path: WirePath, by incoming: [Instruction]) -> Bool {
        incoming.contains { instruction in
            guard instruction.object == path.object else { return false }
            if case .eraseObject = instruction { return true }
            guard let other = instruction.path, other.field == path.field else { return false }
            switch instruction {
            case .clear: return other.elements.count <= path.elements.count
            case .update, .arrayErase: return other.elements.count < path.elements.count
            default: return false
            }
        }
    }
}

extension WirePath {
    /// A Boolean value that indicates whether the path leads through an element of a list.
    var hasIndex: Bool {
        elements.contains {
            if case .index = $0 { return true }
            return false
        }
    }

    var text: String {
        let steps = elements.map { element in
            switch element {
            case .index(let index): "[\(index)]"
            case .name(let name): ".\(name)"
            }
        }
        return "\(object.table):\(object.key.payload).\(field)\(steps.joined())"
    }
}

extension WireState {
    /// Returns the value at a path, or `nil` if a step of the path leads nowhere.
    func value(at path: WirePath) -> WireValue? {
        guard let writer = try? LocalWriter(state: self, version: 0).place(path) else { return nil }
        return writer.value
    }

    func contains(_ value: Payload, at path: WirePath) -> Bool {
        guard case .set(let set) = self.value(at: path) else { return false }
        return set.contains(value)
    }
}

extension WireValue {
    /// The value without the content of a collection or an embedded object.
    var shape: WireValue {
        switch self {
        case .scalar: self
        case .object: .object([:])
        case .list: .list(WireList())
        case .dictionary: .dictionary([:])
        case .set: .set(WireSet())
        }
    }
}

extension WireValue? {
    fileprivate var text: String { map { "\($0)" } ?? "nothing" }

    /// Returns a Boolean value that indicates whether an update with the payload makes a value of this shape.
    fileprivate func isLike(_ payload: Payload) -> Bool {
        switch self {
        case nil: payload == .erased
        case .scalar(let value)?: value == payload
        case .list?: payload == .list
        case .dictionary?: payload == .dictionary
        case .object?: payload == .object
        case .set?: false
        }
    }
}
