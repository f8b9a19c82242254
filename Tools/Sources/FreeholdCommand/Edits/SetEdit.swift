import ArgumentParser
import Foundation
import Freehold

/// An edit that sets properties of objects.
struct SetEdit: ParsableArguments, Edit {
    @Argument(help: "The class, as the file names it.") var className: String
    @Argument(help: "The condition in the query language.") var query: String
    @Option(name: .customLong("arg"), parsing: .unconditionalSingleValue, help: QueryArguments.help)
    var arguments: [String] = []
    @Argument(
        help: ArgumentHelp("What to set: age=37 'name=Ada Bell' home.city=null.", valueName: "property=value")
    ) var assignments: [String]
    @OptionGroup var options: EditOptions

    var dryRun: Bool { options.dryRun }

    func validate() throws {
        if assignments.isEmpty {
            throw ValidationError("Nothing is set: name a condition, then property=value, once or several times.")
        }
        for text in assignments where Assignment.parts(text) == nil {
            throw ValidationError("'\(text)' isn't an assignment: property=value.")
        }
    }

    func apply(to realm: Realm) throws -> EditReport {
        let (object, found) = try Selection.find(className, query, arguments: arguments, in: realm)
        let schema = realm.storedSchema
        let planned = try assignments.map { try Assignment($0, to: object, in: schema, allowsKey: false) }
        if let twice = planned.first(where: { one in planned.filter { $0.name == one.name }.count > 1 }) {
            throw Failure(.data, "\(twice.name) is set twice")
        }
        let reader = PropertyValue(schema: schema, realm: realm)
        let values = try planned.map { ($0, try $0.value(reader)) }
        var roots: [String] = []
        for assignment in planned where !roots.contains(assignment.path[0].name) {
            roots.append(assignment.path[0].name)
        }
        let shown = ObjectReader(object, roots)
        let isWhole = planned.allSatisfy { $0.path.count == 1 }
        var report = EditReport()
        var (count, changed) = (0, 0)
        /// The values of an object that needs no change.
        var settled: [RowText.Cell]?
        for target in found {
            try Task.checkCancellation()
            count += 1
            let before = try shown.cells(of: target)
            if before == settled { continue }
            for (assignment, value) in values { try assignment.assign(value, to: target) }
            if let error = realm.pendingError { throw error }
            let after = try shown.cells(of: target)
            if isWhole { settled = after }
            guard let change = try ObjectChange(shown, target, before: before, after: after, position: count - 1)
            else { continue }
            changed += 1
            if dryRun { report.add(change, asJSON: options.json) }
            Progress.show("\(Units.count(changed, "object")) changed")
        }
        report.summary =
            "\(Units.count(count, "object")) found, \(Units.grouped(changed)) \(dryRun ? "would change" : "changed")"
        return report
    }
}
