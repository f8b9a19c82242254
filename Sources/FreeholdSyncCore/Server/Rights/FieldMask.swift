/// Which fields of a class's objects a session may see. The key is always among them.
///
/// A field that is shown in part holds embedded objects, of which some fields are hidden.
public struct FieldMask: Hashable, Sendable {
    /// Whether fields that ``fields`` doesn't name are shown.
    public var showsOthers: Bool
    /// By names; of a field of embedded objects, which of their fields.
    public var fields: [SyncString: FieldMask]

    public init(showsOthers: Bool, fields: [SyncString: FieldMask] = [:]) {
        self.showsOthers = showsOthers
        self.fields = fields
    }

    public static let all = FieldMask(showsOthers: true)
    public static let none = FieldMask(showsOthers: false)

    private static let key: SyncString = "_id"

    var showsAll: Bool { showsOthers && fields.values.allSatisfy(\.showsAll) }
    var showsSome: Bool { showsOthers || fields.values.contains(where: \.showsSome) }

    /// Of what a field holds.
    subscript(name: SyncString) -> FieldMask { fields[name] ?? (showsOthers ? .all : .none) }

    /// Of a field of an object itself.
    func ofObject(_ name: SyncString) -> FieldMask { name == Self.key ? .all : self[name] }

    /// Equal for equal masks, in every process.
    func hashed(into hash: RunningHash) -> RunningHash {
        var hash = hash.appending([showsOthers ? 1 : 0])
        for (name, mask) in fields.sorted(by: { $0.key < $1.key }) {
            hash = mask.hashed(into: hash.appending(Array(name.string.utf8)))
        }
        return hash.appending([2])
    }
}

// MARK: - What is shown of a message

extension FieldMask {
    /// What is shown of an object's fields.
    func shown(_ fields: [ConfirmedField]) -> [ConfirmedField] {
        fields.compactMap { field in
            ofObject(field.name).shown(field.content).map { ConfirmedField(field.name, $0) }
        }
    }

    func shown(_ fields: [FieldDifference]) -> [FieldDifference] {
        fields.compactMap { field in
            ofObject(field.name).shown(field.content).map { FieldDifference(field.name, $0) }
        }
    }

    /// Nil if nothing of it is shown.
    private func shown(_ content: ConfirmedContent) -> ConfirmedContent? {
        if showsAll { return content }
        guard showsSome else { return nil }
        switch content {
        case .embedded(let instance): return .embedded(shown(instance))
        case .list(let runs):
            return .list(
                runs.map { run in
                    var run = run
                    run.elements = run.elements.map(element)
                    return run
                }
            )
        case .dictionary(let entries): return .dictionary(entries.map { ConfirmedEntry($0.key, element($0.content)) })
        // Nothing embedded can be in these.
        case .value, .set: return showsOthers ? content : nil
        }
    }

    private func shown(_ instance: ConfirmedInstance) -> ConfirmedInstance {
        ConfirmedInstance(made: instance.made, fields: inner(instance.fields))
    }

    /// An element keeps its place, whatever is hidden of it.
    private func element(_ content: ConfirmedContent) -> ConfirmedContent { shown(content) ?? .value(.null) }

    private func inner(_ fields: [ConfirmedField]) -> [ConfirmedField] {
        fields.compactMap { field in self[field.name].shown(field.content).map { ConfirmedField(field.name, $0) } }
    }

    private func inner(_ fields: [FieldDifference]) -> [FieldDifference] {
        fields.compactMap { field in self[field.name].shown(field.content).map { FieldDifference(field.name, $0) } }
    }

    /// Nil if nothing that is shown differs.
    private func shown(_ difference: ContentDifference) -> ContentDifference? {
        if showsAll { return difference }
        guard showsSome else { return nil }
        switch difference {
        case .whole(let content): return shown(content).map { .whole($0) }
        case .instance(let fields):
            let shown = inner(fields)
            return shown.isEmpty ? nil : .instance(shown)
        case .list(var list):
            list.pieces = list.pieces.map { piece in
                guard case .new(var run) = piece else { return piece }
                run.elements = run.elements.map(element)
                return .new(run)
            }
            list.edits = list.edits.compactMap { edit in
                shown(edit.content).map { ListDifference.Edit(index: edit.index, content: $0) }
            }
            return .list(list)
        case .dictionary(var dictionary):
            dictionary.changed = dictionary.changed.compactMap { entry in
                shown(entry.content).map { DictionaryDifference.Entry(entry.key, $0) }
            }
            return .dictionary(dictionary)
        case .set, .nested: return showsOthers ? difference : nil
        }
    }
}
