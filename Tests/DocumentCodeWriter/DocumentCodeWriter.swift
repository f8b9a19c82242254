import DocumentCode
import Foundation

/// Writes the Swift files of the documents' code. It runs in the package's folder, by `make docs-code`.
@main enum DocumentCodeWriter {
    static func main() {
        let root = URL(fileURLWithPath: FileManager.default.currentDirectoryPath, isDirectory: true)
        do {
            let changed = try Documents(root: root).write()
            print(
                changed.isEmpty
                    ? "The documents' code is as it was" : changed.map { "made \($0)" }.joined(separator: "\n")
            )
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }
}
