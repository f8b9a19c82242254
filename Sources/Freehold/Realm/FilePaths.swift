import Foundation
import Synchronization

/// The properties of a URL that opening a realm needs. They are cached because computing them takes longer than opening
/// a file that is already open.
struct FilePaths: Sendable {
    let path: String
    /// The path without dots and repeated slashes.
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
        // The target of ".." can change with the file system.
        if made.path.contains("..") { return made }
        known.withLock { known in
            if known.count >= limit { known = [:] }
            known[url] = made
        }
        return made
    }
}
