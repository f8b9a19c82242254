import Foundation
import Synchronization

/// What opening a realm asks of a URL, remembered: to work it out takes longer than to open a file that is open.
struct FilePaths: Sendable {
    let path: String
    /// Without dots and repeated slashes.
    let standardized: String
    let isFile: Bool

    private init(_ url: URL) {
        path = url.path
        standardized = url.standardizedFileURL.path
        isFile = url.isFileURL
    }

    private static let known = Mutex<[URL: FilePaths]>([:])
    private static let limit = 256

    static func of(_ url: URL) -> FilePaths {
        if let found = known.withLock({ $0[url] }) { return found }
        let made = FilePaths(url)
        // Where ".." leads may change with the file system.
        if made.path.contains("..") { return made }
        known.withLock { known in
            if known.count >= limit { known = [:] }
            known[url] = made
        }
        return made
    }
}
