import ArgumentParser
import FreeholdBSON
import FreeholdServer
import FreeholdSyncRules

/// The parts of the output of commands that import a project.
enum ProjectReport {
    /// Prints a list below a title. Prints nothing for an empty list.
    static func show(_ title: String, _ lines: [String]) {
        guard !lines.isEmpty else { return }
        print("\n\(title):")
        for line in lines { print("  \(line)") }
    }

    /// Prints the imported parts, the differences and the remaining tasks.
    static func show(_ plan: AppProjectImport, _ changes: [SchemaChange]) {
        show("Taken over", plan.taken)
        show("Changes of the schema that break clients", changes.filter { $0.kind == .breaking }.map { "\($0)" })
        for (kind, title) in [
            (UnsupportedPart.Kind.needed, "To do"), (.changed, "Differs"), (.leftOut, "Left out"),
            (.ignored, "Has no counterpart"),
        ] { show(title, plan.rest.filter { $0.kind == kind }.map { "\($0)" }) }
    }

    /// Returns the values of secrets in a file.
    ///
    /// - Throws: `ValidationError` that doesn't quote the file.
    static func secretValues(_ path: String?) throws -> [String: String] {
        guard let path else { return [:] }
        guard let document = try? BSONDocument(extendedJSON: try SchemaFiles.text(path)) else {
            throw ValidationError("\(path) isn't a JSON object of texts.")
        }
        var values: [String: String] = [:]
        for (name, value) in document {
            guard let text = value.stringValue else {
                throw ValidationError("\(path) isn't a JSON object of texts.")
            }
            values[name] = text
        }
        return values
    }
}
