/// The fields of a class's objects that a session may see. The primary key is always visible.
///
/// A field that is shown in part contains embedded objects with hidden fields.
public struct FieldMask: Hashable, Sendable {
    /// A Boolean value that indicates whether fields that ``fields`` doesn't name are shown.
    public var showsOthers: Bool
    /// The masks of fields, by name. The mask of a field with embedded objects applies to their fields.
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

    /// The mask for the content of a field.
    subscript(name: SyncString) -> FieldMask { fields[name] ?? (showsOthers ? .all : .none) }

    /// Returns the mask for a field of the object itself, in contrast to an embedded object.
    func ofObject(_ name: SyncString) -> FieldMask { name == Self.key ? .all : self[name] }

    /// Returns a hash that includes the mask. Equal masks have equal hashes in all processes.
    func hashed(into hash: RunningHash) -> RunningHash {
        var hash = hash.appending([showsOthers ? 1 : 0])
        for (name, mask) in fields.sorted(by: { $0.key < $1.key }) {
            hash = mask.hashed(into: hash.appending(Array(name.string.utf8)))
        }
        return hash.appending([2])
    }
}

// MARK: - The visible part of a message

extension FieldMask {
    /// Returns the visible part of an object's fields.
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

    /// Returns the visible part of a content, or `nil` if none of it is visible.
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
        // Values and sets contain no embedded objects.
        case .value, .set: return showsOthers ? content : nil
        }
    }

    private func shown(_ instance: ConfirmedInstance) -> ConfirmedInstance {
        ConfirmedInstance(made: instance.made, fields: inner(instance.fields))
    }

    /// Returns the visible part of an element. An element keeps its position even if nothing of it is visible.
    private func element(_ content: ConfirmedContent) -> ConfirmedContent { shown(content) ?? .value(.null) }

    private func inner(_ fields: [ConfirmedField]) -> [ConfirmedField] {
        fields.compactMap { field in self[field.name].shown(field.content).map { ConfirmedField(field.name, $0) } }
    }

    private func inner(_ fields: [FieldDifference]) -> [FieldDifference] {
        fields.compactMap { field in self[field.name].shown(field.content).map { FieldDifference(field.name, $0) } }
    }

    /// Returns the visible part of a difference, or `nil` if none of it is visible.
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
