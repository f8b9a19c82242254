/// The conversion of `#keyPath(Person.name)`, which needs a property of Objective-C. A property with `@Persisted` isn't
/// one.
extension Converter {
    mutating func convertKeyPaths() {
        for (f, file) in files.enumerated() where file.problem == nil {
            for i in file.tokens.indices where file.tokens[i].kind == .hash {
                if edits[f].contains(file.tokens[i].start) { continue }
                guard i + 2 < file.tokens.count, file.tokens[i + 1].isMark("(") else { continue }
                let end = file.partner[i + 1]
                let path = Parser.path(file.tokens[(i + 2)..<end])
                guard path.count * 2 - 1 == end - i - 2 else { continue }
                guard file.tokens[i].text == "#keyPath", let names = names(path, from: i, inFile: f) else { continue }
                let range = file.tokens[i].start..<file.tokens[end].end
                edits[f].replace(range, with: "\"\(names.joined(separator: "."))\"")
                counts.uses += 1
            }
        }
    }

    /// Returns the path without its class, or nil if it isn't a model's.
    private func names(_ path: [String], from i: Int, inFile f: Int) -> [String]? {
        for (k, name) in path.enumerated().dropLast() where !index.models(named: name).isEmpty {
            return Array(path[(k + 1)...])
        }
        guard let owner = index.enclosing(inFile: f, at: i), let model = index.model(owner) else { return nil }
        let names = path.first == "self" ? Array(path.dropFirst()) : path
        guard let first = names.first else { return nil }
        return index.lineage(model).contains { plans[$0]?.names.contains(first) ?? false } ? names : nil
    }
}
