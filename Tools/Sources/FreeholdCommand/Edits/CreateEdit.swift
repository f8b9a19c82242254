import ArgumentParser
import Foundation
import Freehold

/// An edit that creates objects from JSON or from `property=value`.
struct CreateEdit: ParsableArguments, Edit {
    @Argument(help: "The class, as the file names it.") var className: String
    @Argument(
        help: ArgumentHelp(
            "Objects as JSON; or property=value, once or several times, of one object.",
            valueName: "json"
        )
    ) var values: [String] = []
    @Option(help: "The action if an object with the primary key exists: it is updated, or nothing is created.")
    var update = ImportCommand.Update.error
    @Flag(help: "Passes over keys that the class doesn't have.") var ignoreUnknown = false
    @OptionGroup var options: EditOptions

    var dryRun: Bool { options.dryRun }

    private var areAssignments: Bool { values.contains { Assignment.parts($0) != nil } }

    func validate() throws {
        if areAssignments, let other = values.first(where: { Assignment.parts($0) == nil }) {
            throw ValidationError(
                "'\(other)' isn't an assignment, and JSON and property=value can't be given together."
            )
        }
    }

    func apply(to realm: Realm) throws -> EditReport { try apply(to: realm, from: nil) }

    /// - Parameter input: The source of objects that aren't given as values.
    func apply(to realm: Realm, from input: (() throws -> Data)?) throws -> EditReport {
        let schema = realm.storedSchema
        let object = try schema.requireClass(className)
        if object.isEmbedded {
            throw Failure(.data, "\(className) is embedded: its objects are created with those that they belong to")
        }
        if object.isAsymmetric {
            throw Failure(.data, "\(className) is asymmetric: its objects are only sent, by programs that sync")
        }
        let all = realm.dynamicObjects(object.className)
        let before = all.count
        let given = try add(object, in: schema, realm: realm, input: input)
        if let error = realm.pendingError { throw error }
        let created = max(0, all.count - before)
        var report = EditReport()
        if dryRun {
            let reader = ObjectReader(object)
            for i in before..<max(before, all.count) {
                report.add(try ObjectChange(.insert, reader, object: all[i]), asJSON: options.json)
            }
        }
        report.summary = "\(Units.count(created, "object")) \(dryRun ? "would be created" : "created")"
        if given > created { report.summary += ", \(Units.grouped(given - created)) updated" }
        return report
    }

    /// - Returns: The number of given objects.
    private func add(
        _ object: ObjectSchema,
        in schema: Schema,
        realm: Realm,
        input: (() throws -> Data)?
    ) throws -> Int {
        let policy = object.primaryKeyProperty == nil ? .error : update.policy
        let json = JSONImportOptions(unknownKeys: ignoreUnknown ? .ignored : .refused)
        if areAssignments {
            let reader = PropertyValue(schema: schema, realm: realm)
            var members: [String: Any] = [:]
            for text in values {
                let assignment = try Assignment(text, to: object, in: schema, allowsKey: true)
                guard assignment.path.count == 1 else {
                    throw Failure(.data, "\(assignment.name): write the embedded object as JSON, {…}")
                }
                let old = members.updateValue(try assignment.value(reader) ?? NSNull(), forKey: assignment.name)
                if old != nil { throw Failure(.data, "\(assignment.name) is given twice") }
            }
            if let key = object.primaryKeyProperty, members[key.name] == nil, [.int, .string].contains(key.type) {
                throw Failure(.data, "the primary key is missing: \(key.name)=…")
            }
            realm.dynamicCreate(object.className, value: members, update: policy)
            return 1
        }
        if values.isEmpty {
            guard let input else { throw Failure(.usage, "Nothing is given: objects as JSON, or property=value.") }
            return try realm.dynamicImportJSON(into: object.className, update: policy, options: json, from: input)
        }
        var count = 0
        for (i, text) in values.enumerated() {
            do {
                count += try realm.dynamicImportJSON(
                    from: Data(text.utf8),
                    into: object.className,
                    update: policy,
                    options: json
                )
            } catch let error as JSONError where values.count > 1 {
                let failure = Failure(error)!
                throw Failure(failure.status, "object \(i + 1): \(failure.message)")
            }
        }
        return count
    }
}
