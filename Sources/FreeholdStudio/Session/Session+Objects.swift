import Foundation
import FreeholdEngine

extension StudioSession {
    static let objectHandlers: [String: Handler] = [
        "object": Handler { session, request, _ in try session.object(request) },
        "part": Handler { session, request, _ in try session.part(request) },
        "linked": Handler { session, request, _ in try session.linked(request) },
        "find": Handler { session, request, answer in try session.find(request, answer) },
    ]

    /// Returns the object that a request names.
    func target(_ request: StudioRequest, in view: DataView, _ facts: SchemaFacts) throws(StudioError) -> (
        Table, ObjectKey
    ) {
        let table = try facts.table(try request.text("class"))
        let number = try request.number("key")
        guard view.contains(table, ObjectKey(Int64(number))) else {
            throw StudioError(.notFound, "'\(table.name)' has no object with the key \(number).")
        }
        return (table, ObjectKey(Int64(number)))
    }

    private func object(_ request: StudioRequest) throws -> StudioJSON {
        let (follows, wantsText) = (try request.flag("follow"), try request.flag("json"))
        return try read { view, facts in
            let (table, key) = try target(request, in: view, facts)
            let reader = ObjectReader(view: view, facts: facts)
            let state = reader.state(table, key)
            if follows { followed = state }
            let fields = zip(table.columns, state.fields).map { StudioJSON.array([.string($0.name), .raw($1)]) }
            let text = wantsText ? ObjectText(view: view, facts: facts).json(table, key) : nil
            return .members([
                "class": .string(table.name), "key": .int(key.raw), "version": .int(view.version),
                "title": .text(facts.title(table, key, in: view)), "fields": .array(fields),
                "links": .raw(state.links), "owner": reader.owner(table, key),
                "position": .whole(view.index(of: key, in: table)), "json": text.map { .string($0) },
            ])
        }
    }

    private func part(_ request: StudioRequest) throws -> StudioJSON {
        try read { view, facts in
            let (table, key) = try target(request, in: view, facts)
            let path = try request.list("path")
            guard let name = path.first?.text, path.count <= 64 else {
                throw StudioError(.invalid, "The path of a part begins with the name of a property.")
            }
            let column = try facts.column(name, of: table)
            return try PartReader(view: view, facts: facts).part(column, key, path: path.dropFirst(), request)
        }
    }

    private func linked(_ request: StudioRequest) throws -> StudioJSON {
        try read { view, facts in
            let (table, key) = try target(request, in: view, facts)
            let reader = ObjectReader(view: view, facts: facts)
            guard let by = request.optional("by") else {
                return ["version": .int(view.version), "by": .raw(reader.links(table, key))]
            }
            guard let origin = by["class"]?.text, let property = by["property"]?.text,
                let column = facts.incoming(table).first(where: {
                    $0.name == property && view.schema.table(of: $0).name == origin
                })
            else { throw StudioError(.notFound, "No property of this name links to '\(table.name)'.") }
            let range = try request.range(limit: 500)
            return reader.origins(column, key, in: range)
        }
    }

    private func find(_ request: StudioRequest, _ answer: Answer) throws -> StudioJSON? {
        let (text, className) = (try request.text("text"), try request.optionalText("class"))
        try work(answer, time: .seconds(2)) { view, facts in
            try ObjectSearch(view: view, facts: facts).results(text, in: className)
        } finish: { _, results in
            ["results": results]
        }
        return nil
    }
}
