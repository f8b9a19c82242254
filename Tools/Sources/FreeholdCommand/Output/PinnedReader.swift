import Foundation
import Freehold

/// A holder of a version of a file.
struct PinnedReader: Encodable {
    let version: UInt64
    let process: Int32
    /// The name of the process, if the system provides it.
    let name: String?
    let thread: UInt64

    /// Returns the holders in all processes except this one, the oldest version first.
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
