import Foundation
import Freehold

/// Who holds a version of a file.
struct PinnedReader: Encodable {
    let version: UInt64
    let process: Int32
    /// The process's name, where the system tells it.
    let name: String?
    let thread: UInt64

    /// Of all processes but this one, whose look at the file counts for nothing; the oldest version first.
    static func others(of realm: Realm) -> [PinnedReader] {
        var names: [Int32: String?] = [:]
        return realm.pinnedVersions.filter { !$0.isInThisProcess }.map { pin in
            let name = names[pin.processIdentifier] ?? processName(pin.processIdentifier)
            names[pin.processIdentifier] = .some(name)
            return PinnedReader(version: pin.version, process: pin.processIdentifier, name: name, thread: pin.thread)
        }
    }

    private static func processName(_ identifier: Int32) -> String? {
        guard let text = try? String(contentsOfFile: "/proc/\(identifier)/comm", encoding: .utf8) else { return nil }
        return text.trimmingCharacters(in: .newlines)
    }
}
