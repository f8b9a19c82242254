public import FreeholdBSON
public import FreeholdSyncCore

/// An event of a change stream about one object.
public struct ChangeEvent: Sendable {
    public enum Operation: String, Sendable {
        case insert
        case update
        /// The object was deleted, and another object was created with its key.
        case replace
        case delete
    }

    public let operation: Operation
    public let name: ObjectName
    /// The object after the event. `nil` for a deletion.
    public let fullDocument: BSONDocument?
    /// The changed parts, for an update.
    public let description: UpdateDescription?
    /// The position after this event.
    public let token: ResumeToken
}

/// The parts of an object that an update changed.
public struct UpdateDescription: Hashable, Sendable {
    /// The changed values, by paths with dots. A changed array is included as a whole.
    public var updated: BSONDocument
    /// The paths of the removed values, with dots.
    public var removed: [String]

    public init(updated: BSONDocument = [:], removed: [String] = []) {
        self.updated = updated
        self.removed = removed
    }

    /// Creates the difference between two documents.
    ///
    /// - Complexity: O(size of the documents)
    public init(from old: BSONDocument, to new: BSONDocument) {
        self.init()
        compare(old, new, [])
    }

    private mutating func compare(_ old: BSONDocument, _ new: BSONDocument, _ path: [String]) {
        let before = Dictionary(old.map { ($0.key, $0.value) }) { first, _ in first }
        let after = Set(new.keys)
        for (key, value) in new {
            let path = path + [key]
            switch (before[key], value) {
            case (value?, _): continue
            case (.document(let old)?, .document(let new)) where Self.isClear(old) && Self.isClear(new):
                compare(old, new, path)
            default: updated.append(path.joined(separator: "."), value)
            }
        }
        for (key, _) in old where !after.contains(key) { removed.append((path + [key]).joined(separator: ".")) }
    }

    /// Returns whether paths with dots are unambiguous for each key of the document.
    private static func isClear(_ document: BSONDocument) -> Bool {
        document.allSatisfy { !$0.key.isEmpty && !$0.key.contains(".") && !$0.key.hasPrefix("$") }
    }
}

extension ChangeEvent {
    /// Returns the event in the format of MongoDB's change streams.
    ///
    /// ```json
    /// {"_id": {"_data": TOKEN}, "operationType": "update", "ns": {"db": APP, "coll": CLASS}, "documentKey": {"_id": KEY},
    ///  "fullDocument": {…}, "updateDescription": {"updatedFields": {"age": 3}, "removedFields": []}}
    /// ```
    ///
    /// - Parameter token: The text for the event's position. If it is `nil`, the text is that of ``token``.
    public func document(app: String, token text: String? = nil) -> BSONDocument {
        var document: BSONDocument = [
            "_id": ["_data": .string(text ?? token.text)], "operationType": .string(operation.rawValue),
            "ns": ["db": .string(app), "coll": .string(name.className.string)],
            "documentKey": ["_id": BSONValue(name.key)],
        ]
        document["fullDocument"] = fullDocument.map { .document($0) }
        if let description {
            document["updateDescription"] = [
                "updatedFields": .document(description.updated),
                "removedFields": .array(description.removed.map { .string($0) }),
                "truncatedArrays": [],
            ]
        }
        return document
    }
}

extension ChangeEvent {
    /// Returns the visible part of an object for a reader of the stream. Returns `nil` if the object isn't visible.
    public typealias Sight = (ObjectName, [SyncString: MergedContent]) -> [SyncString: MergedContent]?

    /// Returns the events of a step of a stream, by rising classes and keys.
    ///
    /// Steps of one commit (`ServerStoreRequest.step(after:objects: 1)`) have a token for each event. A reader that
    /// continues after a token then misses no event and receives none twice. In a step of several commits, an object
    /// has one event for all of them, and only the token of the last event is after the step. A reader that continues
    /// after another token receives the step again.
    ///
    /// - Parameters:
    ///   - step: The step of the stream's log.
    ///   - stream: The stream of the step.
    ///   - token: The position after which the caller continues. Events up to it are left out.
    ///   - sight: The visible part of objects. An object that becomes visible is reported as inserted, and one that
    ///     becomes hidden as deleted.
    ///   - className: Returns the caller's name of a stored class.
    /// - Complexity: O(size of the objects)
    public static func events(
        of step: StreamStep,
        stream: StreamName,
        behind token: ResumeToken? = nil,
        sight: Sight = { $1 },
        className: (SyncString) -> SyncString = { $0 }
    ) -> [ChangeEvent] {
        let isSingle = step.to.version == step.from.version + 1
        var passed = 0
        if let token, token.cursor == step.from, isSingle { passed = token.passed }
        var events: [ChangeEvent] = []
        let objects = step.objects.sorted { $0.name < $1.name }
        for (index, object) in objects.enumerated() {
            let isLast = index == objects.count - 1
            let place =
                isLast
                ? ResumeToken(stream, step.to)
                : ResumeToken(stream, step.from, passed: isSingle ? index + 1 : 0)
            guard index >= passed, let event = event(object, place, className, sight) else { continue }
            events.append(event)
        }
        return events
    }

    private static func event(
        _ object: ObjectStep,
        _ token: ResumeToken,
        _ className: (SyncString) -> SyncString,
        _ sight: Sight
    ) -> ChangeEvent? {
        func shown(_ version: MergedObject?) -> BSONDocument? {
            guard let version, version.isAlive, let contents = sight(object.name, version.contents) else { return nil }
            return BSONDocument(object.name, contents)
        }
        let (before, after) = (shown(object.before), shown(object.after))
        func event(_ operation: Operation, _ description: UpdateDescription? = nil) -> ChangeEvent {
            ChangeEvent(
                operation: operation,
                name: ObjectName(className(object.name.className), object.name.key),
                fullDocument: after,
                description: description,
                token: token
            )
        }
        switch (before, after) {
        case (nil, nil): return nil
        case (nil, .some): return event(.insert)
        case (.some, nil): return event(.delete)
        case (let before?, let after?):
            if object.before?.born != object.after?.born { return event(.replace) }
            let description = UpdateDescription(from: before, to: after)
            guard !description.updated.isEmpty || !description.removed.isEmpty else { return nil }
            return event(.update, description)
        }
    }
}
