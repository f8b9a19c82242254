import FreeholdBSON

extension ProjectReader {
    /// Records the folders and files at the top that weren't read.
    mutating func noteTheRest(_ root: Root) throws(ProjectError) {
        var known: Set<String> = [
            "auth", "auth_providers", "data_sources", "services", "sync", "environments", "values",
        ]
        known.formUnion(Self.rootFiles.map(\.name))
        for entry in try visible("") where !known.contains(entry.name) {
            let advice = Self.advice[entry.name]
            if entry.isFolder {
                let names = names(in: entry.name)
                guard !names.isEmpty else { continue }
                let shown = names.prefix(limits.listedNames).map { String($0.prefix(80)) }.joined(separator: ", ")
                let more = names.count > limits.listedNames ? ", …" : ""
                note(
                    advice == nil || entry.name != "functions" ? .ignored : .needed,
                    entry.name,
                    because: "\(names.count) (\(shown)\(more)): \(advice ?? Self.unknown)"
                )
            } else {
                note(entry.name == "secrets.json" ? .needed : .ignored, entry.name, because: advice ?? Self.unknown)
            }
        }
    }

    private static var unknown: String { "Freehold doesn't know what this is." }

    private static var advice: [String: String] {
        let endpoints = "Freehold's server has HTTP paths of its own; endpoints of yours belong in a program of yours."
        return [
            "functions":
                "The server runs no functions. Calls of clients can go to hooks of yours ('hook set … function/NAME'); a program of yours does other work, "
                + "by the HTTP API or as a client.",
            "triggers":
                "Freehold has no triggers: a program of yours follows the change stream, or observes as a client.",
            "http_endpoints": endpoints,
            "https_endpoints": endpoints,
            "endpoints": endpoints,
            "data_api_config.json": "The Data API isn't supported: Freehold's server has HTTP paths of its own.",
            "graphql": "Freehold has no GraphQL.",
            "hosting": "Freehold hosts no files: any web server can.",
            "log_forwarders": "The server logs to its standard output, where collectors of logs take it.",
            "secrets.json": "Secrets aren't read: give them to the server yourself.",
            "analytics": "Freehold has no analytics.",
        ]
    }

    /// Returns the names in a folder that isn't read, without files that only configure it.
    private mutating func names(in folder: String) -> [String] {
        guard let entries = try? visible(folder) else { return [] }
        var names: [String] = []
        for entry in entries {
            switch entry.name {
            case "validation_settings.json", "metadata.json", "node_modules": continue
            case "config.json":
                // The folder has a list of its entries instead of a file for each entry.
                guard let values = (try? value(of: folder + "/config.json"))??.arrayValue else { continue }
                for value in values {
                    let document = value.documentValue
                    guard let name = document?["name"]?.stringValue ?? document?["route"]?.stringValue else { continue }
                    names.append(name)
                }
            default:
                let path = folder + "/" + entry.name
                if entry.isFolder, (try? visible(path))?.isEmpty ?? true { continue }
                names.append(entry.name)
            }
        }
        // A function has a file, and an entry in the list.
        let files = Set(names)
        return names.filter { !files.contains($0 + ".js") }
    }
}
