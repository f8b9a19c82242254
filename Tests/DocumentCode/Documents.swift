package import Foundation

/// The documents of a package, and the Swift files that are created from them.
package struct Documents {
    /// The package's folder.
    package let root: URL

    package init(root: URL) { self.root = root }

    /// The folders of the files: those of programs, and those of tests.
    package static let folders = ["Tests/DocumentRunner/Generated", "Tests/DocumentTests/Generated"]

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

    /// The Swift files, and the documents with tables of figures, by their paths.
    package func files() throws -> [String: String] {
        var files: [String: String] = [:]
        for document in try documents() {
            for (folder, tests) in zip(Self.folders, [false, true]) {
                if let (name, text) = Program.file(of: document, tests: tests) { files["\(folder)/\(name)"] = text }
            }
        }
        files["\(Self.folders[0])/Programs.swift"] = Program.list(of: try programs())
        let figures = Figures(results: try text(of: "Benchmarks/results.md"))
        for path in try paths() {
            let text = try text(of: path)
            if text.contains(Figures.mark) { files[path] = try figures.filled(text, path: path) }
        }
        return files
    }

    /// Returns the existing files, by path.
    package func existingFiles() throws -> [String: String] {
        var files: [String: String] = [:]
        for folder in Self.folders {
            for name in try names(in: folder) where name.hasSuffix(".swift") {
                files["\(folder)/\(name)"] = try text(of: "\(folder)/\(name)")
            }
        }
        for path in try paths() {
            let text = try text(of: path)
            if text.contains(Figures.mark) { files[path] = text }
        }
        return files
    }

    /// Writes the files again. Returns the paths of those that have changed.
    package func write() throws -> [String] {
        let (new, old) = (try files(), try existingFiles())
        for (path, text) in new where old[path] != text {
            try Data(text.utf8).write(to: root.appendingPathComponent(path))
        }
        for path in old.keys where new[path] == nil {
            try FileManager.default.removeItem(at: root.appendingPathComponent(path))
        }
        return Set(new.keys).union(old.keys).filter { new[$0] != old[$0] }.sorted()
    }

    private func text(of path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }
}
