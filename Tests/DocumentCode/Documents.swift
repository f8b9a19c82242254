package import Foundation

/// The documents of a package, and the Swift files that are made of them.
package struct Documents {
    /// The package's folder.
    package let root: URL

    package init(root: URL) { self.root = root }

    /// Where the files are.
    package static let folder = "Tests/DocumentRunner/Generated"

    /// Relative to the package's folder, in order.
    package func paths() throws -> [String] {
        var found = ["README.md"]
        for page in try names(in: "docs") { found.append("docs/\(page)") }
        for module in try names(in: "Sources") {
            let catalogue = "Sources/\(module)/\(module).docc"
            guard FileManager.default.fileExists(atPath: root.appendingPathComponent(catalogue).path) else { continue }
            for article in try names(in: catalogue) { found.append("\(catalogue)/\(article)") }
        }
        return found.filter { $0.hasSuffix(".md") }
    }

    private func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent(folder).path).sorted()
    }

    package func documents() throws -> [Document] {
        try paths().map { path in
            try Document(path: path, text: String(contentsOf: root.appendingPathComponent(path), encoding: .utf8))
        }
    }

    package func programs() throws -> [Program] { try documents().flatMap(Program.all) }

    /// The Swift files by their names.
    package func files() throws -> [String: String] {
        var files: [String: String] = [:]
        for document in try documents() {
            if let (name, text) = Program.file(of: document) { files[name] = text }
        }
        files["Programs.swift"] = Program.list(of: try programs())
        return files
    }

    /// The Swift files that are there, by their names.
    package func existingFiles() throws -> [String: String] {
        var files: [String: String] = [:]
        for name in try names(in: Self.folder) where name.hasSuffix(".swift") {
            files[name] = try String(contentsOf: url(name), encoding: .utf8)
        }
        return files
    }

    /// Makes the Swift files anew. - Returns: the names of those that are other than before.
    package func write() throws -> [String] {
        let (new, old) = (try files(), try existingFiles())
        for (name, text) in new where old[name] != text { try Data(text.utf8).write(to: url(name)) }
        for name in old.keys where new[name] == nil { try FileManager.default.removeItem(at: url(name)) }
        return Set(new.keys).union(old.keys).filter { new[$0] != old[$0] }.sorted()
    }

    private func url(_ name: String) -> URL { root.appendingPathComponent(Self.folder).appendingPathComponent(name) }
}
