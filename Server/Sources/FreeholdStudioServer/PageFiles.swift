import Foundation
import StudioPage

/// The files of the page. They contain no data, and need no key.
struct PageFiles: Sendable {
    struct File: Sendable {
        let type: String
        let bytes: [UInt8]
        /// A Boolean value that indicates whether the address changes with the content, so that a browser may keep the file.
        let isImmutable: Bool
    }

    private let files: [String: File]
    private let hash: String
    /// The folder whose files are served instead of the embedded files during the development of the page, or `nil`.
    private let folder: String?

    private static let marker = "/_/"

    /// - Parameter folder: A folder whose files are served instead of the embedded files.
    init(folder: String? = nil) {
        self.folder = folder
        var files: [String: File] = [:]
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for embedded in Self.embedded {
            for byte in embedded.bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            files[embedded.name] = File(type: embedded.type, bytes: embedded.bytes, isImmutable: true)
        }
        self.files = files
        self.hash = String(hash, radix: 16)
    }

    /// The embedded files.
    static var embedded: [(name: String, type: String, bytes: [UInt8])] {
        var found: [(name: String, type: String, bytes: [UInt8])] = []
        while true {
            let file = studio_page_file_at(UInt(found.count))
            guard let name = file.name, let type = file.type else { return found }
            let bytes = UnsafeBufferPointer(start: file.bytes, count: Int(file.count))
            found.append((String(cString: name), String(cString: type), Array(bytes)))
        }
    }

    /// Returns the file at a path. The first part of the path may be the hash of all files.
    func file(_ path: [String]) -> File? {
        guard let first = path.first, first == hash || first == "_" else {
            return content(path.isEmpty ? "index.html" : path.joined(separator: "/"), isHashed: false)
        }
        return content(path.dropFirst().joined(separator: "/"), isHashed: first == hash)
    }

    private func content(_ name: String, isHashed: Bool) -> File? {
        guard let file = folder.map({ Self.read(name, in: $0) }) ?? files[name] else { return nil }
        guard name == "index.html" else {
            return File(type: file.type, bytes: file.bytes, isImmutable: isHashed && folder == nil)
        }
        let text = String(decoding: file.bytes, as: UTF8.self).replacingOccurrences(of: Self.marker, with: "/\(hash)/")
        return File(type: file.type, bytes: Array(text.utf8), isImmutable: false)
    }

    private static let types = [
        "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8",
        "svg": "image/svg+xml",
    ]

    /// Reads a file of the folder. Only names of known types without dots at the beginning of a part are accepted.
    private static func read(_ name: String, in folder: String) -> File? {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && !$0.hasPrefix(".") }),
            let type = types[(name as NSString).pathExtension],
            let data = FileManager.default.contents(atPath: folder + "/" + name)
        else { return nil }
        return File(type: type, bytes: Array(data), isImmutable: false)
    }
}
