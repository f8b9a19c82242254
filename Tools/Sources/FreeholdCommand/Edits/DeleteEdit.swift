import ArgumentParser
import Foundation
import Freehold

/// An edit that deletes objects.
struct DeleteEdit: ParsableArguments, Edit {
    @Argument(help: "The class, as the file names it.") var className: String
    @Argument(help: "The condition in the query language; none for all objects, which needs --yes.")
    var query: String?
    @Option(name: .customLong("arg"), parsing: .unconditionalSingleValue, help: QueryArguments.help)
    var arguments: [String] = []
    @Flag(help: "Deletes all objects of the class, if these are found.") var yes = false
    @OptionGroup var options: EditOptions

    var dryRun: Bool { options.dryRun }

    func apply(to realm: Realm) throws -> EditReport {
        let (object, found) = try Selection.find(className, query, arguments: arguments, in: realm)
        let total = realm.dynamicObjects(object.className).count
        let count = found.count
        if count == total, total > 1 || query == nil, total > 0, !yes, !dryRun {
            throw Failure(
                .usage,
                "this deletes \(total == 1 ? "the only object" : "all \(Units.grouped(total)) objects") of "
                    + "\(object.className): give --yes if that is meant"
            )
        }
        var report = EditReport()
        if dryRun {
            let reader = ObjectReader(object)
            for target in found {
                try Task.checkCancellation()
                report.add(try ObjectChange(.delete, reader, object: target), asJSON: options.json)
            }
        }
        let names = realm.storedSchema.objectSchema.map(\.className)
        let before = names.map { realm.dynamicObjects($0).count }
        realm.delete(found)
        if let error = realm.pendingError { throw error }
        let gone = zip(names, before).map { ($0, $1 - realm.dynamicObjects($0).count) }.filter { $1 > 0 }
        let own = gone.first { $0.0 == object.className }?.1 ?? 0
        // The objects that are deleted because of delete rules and ownership.
        var others = gone.filter { $0.0 != object.className }
        if own > count { others.insert((object.className, own - count), at: 0) }
        let with =
            others.isEmpty
            ? ""
            : ", and with \(count == 1 ? "it" : "them") "
                + others.map { "\(Units.grouped($1)) of \($0)" }.joined(separator: ", ")
        report.summary =
            "\(Units.count(count, "object")) \(dryRun ? "would be deleted" : "deleted")\(with)"
        return report
    }
}
