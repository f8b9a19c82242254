import FreeholdEngine
import FreeholdSyncCore

/// Translates stored data into the form of a version.
struct DownwardMapper {
    let map: VersionMap

    // MARK: Messages

    func mapped(_ message: ServerMessage) -> ServerMessage? {
        switch message {
        case .changes(let session, var changes):
            changes.classes = mapped(changes.classes)
            changes.checksums = changes.checksums.map(mapped)
            return .changes(session, changes)
        case .ack(let session, let ack): return .ack(session, mapped(ack))
        case .bootstrapChunk(let session, var chunk):
            guard let last = name(chunk.position.last) else { return nil }
            chunk.position.last = last
            chunk.classes = mapped(chunk.classes)
            chunk.covers = chunk.covers.compactMap { range in
                map.stored(range.className).map {
                    KeyRange(className: $0.name, after: range.after, through: range.through)
                }
            }
            return .bootstrapChunk(session, chunk)
        case .bootstrapEnd(let session, var end):
            end.checksums = mapped(end.checksums)
            return .bootstrapEnd(session, end)
        case .bound(let session, var bound):
            if let fork = bound.fork { bound.fork = Fork(common: fork.common, answers: fork.answers.map(mapped)) }
            if case .resume(let sums?) = bound.start { bound.start = .resume(mapped(sums)) }
            return .bound(session, bound)
        case .welcome, .queryError, .bootstrapBegin, .part, .credit, .marked, .notice, .error, .pong, .noted, .claimed:
            return message
        }
    }

    /// Refused changes aren't translated, because they are already in the form of their author.
    private func mapped(_ ack: Ack) -> Ack {
        var ack = ack
        ack.restored = mapped(ack.restored)
        return ack
    }

    private func mapped(_ sums: Checksums) -> Checksums {
        let classes = sums.classes.compactMap { sum in
            map.stored(sum.className).map { ClassChecksum(className: $0.name, count: sum.count, sum: sum.sum) }
        }
        return Checksums(view: sums.view, classes: classes.sorted { $0.className < $1.className })
    }

    func mapped(_ batches: [ClassBatch]) -> [ClassBatch] {
        batches.compactMap { batch in
            guard let found = map.stored(batch.className), !found.isEmbedded else { return nil }
            let objects = batch.objects.map { object in
                let contested = object.contested.compactMap { field in
                    found.stored(field.name).map { ContestedField($0.name, version: field.version) }
                }
                return ObjectUpdate(object.key, mapped(object.content, found), contested: contested)
            }
            return ClassBatch(className: found.name, objects: objects)
        }
        .sorted { $0.className < $1.className }
    }

    private func mapped(_ content: ObjectUpdate.Content, _ found: ClassMap) -> ObjectUpdate.Content {
        switch content {
        case .whole(let version, let born, let fields): .whole(version: version, born: born, mapped(fields, found))
        case .difference(let version, let base, let fields):
            .difference(version: version, base: base, mapped(fields, found))
        case .present, .erased: content
        }
    }

    // MARK: Names

    func name(_ name: ObjectName) -> ObjectName? {
        guard let found = map.stored(name.className), !found.isEmbedded else { return nil }
        return ObjectName(found.name, name.key)
    }

    // MARK: Whole objects

    func mapped(_ fields: [ConfirmedField], _ found: ClassMap) -> [ConfirmedField] {
        var new: [ConfirmedField] = []
        new.reserveCapacity(fields.count)
        for field in fields {
            guard let property = found.stored(field.name) else { continue }
            new.append(ConfirmedField(property.name, mapped(field.content, property, isElement: false)))
        }
        for property in found.filled where !fields.contains(where: { $0.name == property.stored }) {
            if let fill = property.fill { new.append(ConfirmedField(property.name, .value(fill))) }
        }
        return new.sorted { $0.name < $1.name }
    }

    private func mapped(_ content: ConfirmedContent, _ property: PropertyMap, isElement: Bool) -> ConfirmedContent {
        switch content {
        case .value(let value): .value(mapped(value, property, isElement: isElement))
        case .embedded(let instance):
            if let inner = map.embedded(property) {
                .embedded(ConfirmedInstance(made: instance.made, fields: mapped(instance.fields, inner)))
            } else {
                .value(property.fill(isElement: isElement) ?? .null)
            }
        case .list(let runs): .list(runs.map { mapped($0, property) })
        case .set(let values): .set(values.compactMap { element($0, property) })
        case .dictionary(let entries):
            .dictionary(entries.map { ConfirmedEntry($0.key, mapped($0.content, property, isElement: true)) })
        }
    }

    private func mapped(_ run: ElementRun, _ property: PropertyMap) -> ElementRun {
        var run = run
        run.elements = run.elements.map { mapped($0, property, isElement: true) }
        return run
    }

    // MARK: Values

    func mapped(_ value: SyncValue, _ property: PropertyMap, isElement: Bool) -> SyncValue {
        switch value {
        case .null: property.fill(isElement: isElement) ?? .null
        case .int, .float, .double, .decimal128: property.numbers?.shown(value) ?? value
        default: links(in: value)
        }
    }

    /// Returns an element of a set. Returns `nil` if the version shows no element for it.
    func element(_ value: SyncValue, _ property: PropertyMap) -> SyncValue? {
        switch value {
        case .null: return property.hidesNull ? nil : .null
        case .link(let name): return self.name(name).map { .link($0) }
        default: return mapped(value, property, isElement: true)
        }
    }

    /// Translates the links in a value.
    func links(in value: SyncValue) -> SyncValue {
        switch value {
        case .link(let name): self.name(name).map { .link($0) } ?? .null
        case .list(let values): .list(values.map(links))
        case .dictionary(let dictionary):
            .dictionary(SyncDictionary(dictionary.entries.map { (key: $0.key, value: links(in: $0.value)) }))
        default: value
        }
    }

    // MARK: Differences

    private func mapped(_ fields: [FieldDifference], _ found: ClassMap) -> [FieldDifference] {
        fields.compactMap { field in
            found.stored(field.name).map {
                FieldDifference($0.name, mapped(field.content, $0, isElement: false))
            }
        }
        .sorted { $0.name < $1.name }
    }

    private func mapped(_ difference: ContentDifference, _ property: PropertyMap, isElement: Bool) -> ContentDifference
    {
        switch difference {
        case .whole(let content): return .whole(mapped(content, property, isElement: isElement))
        case .instance(let fields):
            // The app doesn't treat the value as an embedded object, and was shown nothing of it.
            guard let inner = map.embedded(property) else {
                return .whole(.value(property.fill(isElement: isElement) ?? .null))
            }
            return .instance(mapped(fields, inner))
        case .list(var list):
            list.pieces = list.pieces.map { piece in
                guard case .new(let run) = piece else { return piece }
                return .new(mapped(run, property))
            }
            list.edits = list.edits.map {
                ListDifference.Edit(index: $0.index, content: mapped($0.content, property, isElement: true))
            }
            return .list(list)
        case .set(let set):
            return .set(
                SetDifference(
                    removed: set.removed.compactMap { element($0, property) },
                    inserted: set.inserted.compactMap { element($0, property) }
                )
            )
        case .dictionary(var dictionary):
            dictionary.changed = dictionary.changed.map {
                DictionaryDifference.Entry($0.key, mapped($0.content, property, isElement: true))
            }
            return .dictionary(dictionary)
        case .nested(let entries):
            return .nested(entries.map { NestedDifference(path: $0.path, value: $0.value.map(links)) })
        }
    }
}
