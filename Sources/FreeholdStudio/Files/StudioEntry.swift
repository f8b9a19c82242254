import Foundation

/// A file that the page can open. The page knows its number, never its path.
struct StudioEntry: Sendable {
    enum Kind: String, Sendable { case freehold, realm, missing, other }

    let number: String
    let path: String
    /// The time at which it was opened last, in milliseconds since 1970.
    var opened: Int64?

    var name: String { (path as NSString).lastPathComponent }

    /// The folder as it is shown, with `~` for the folder of the user.
    var folder: String {
        let folder = (path as NSString).deletingLastPathComponent
        let home = NSHomeDirectory()
        guard home != "/", folder == home || folder.hasPrefix(home + "/") else { return folder }
        return "~" + folder.dropFirst(home.count)
    }

    var kind: Kind { Self.kind(path) }

    /// Returns the kind of a file by its first bytes. An encrypted file that Realm wrote has no mark, and is `other`.
    static func kind(_ path: String) -> Kind {
        guard let handle = FileHandle(forReadingAtPath: path) else { return .missing }
        defer { try? handle.close() }
        guard let head = try? handle.read(upToCount: 20), head.count == 20 else { return .other }
        let mark = [UInt8](head.suffix(4))
        if mark == Array("T-DB".utf8) { return .realm }
        return mark == [0xDE, 0xC0, 0xEF, 0xBE] ? .freehold : .other
    }

    var json: StudioJSON {
        [
            "file": .string(number), "name": .string(name), "folder": .string(folder), "kind": .string(kind.rawValue),
            "opened": .whole(opened),
        ]
    }
}
