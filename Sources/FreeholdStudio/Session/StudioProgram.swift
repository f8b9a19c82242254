import Foundation
import Synchronization

/// The part of the program that all pages share: its options, the list of files, the pool of threads, and the tickets for downloads and uploads.
///
/// Any thread may use it.
public final class StudioProgram: Sendable {
    public let options: StudioOptions
    public let tickets: StudioTickets
    let files: StudioFiles
    let pool = StudioPool()

    public static let version = "0.1.0"

    public init(_ options: StudioOptions) {
        self.options = options
        files = StudioFiles(options)
        tickets = StudioTickets(folder: options.temporaryFolder, seconds: options.ticketSeconds)
    }

    /// The message that answers the `hello` of a page.
    public var welcome: StudioJSON {
        [
            "welcome": [
                "program": .string(Self.version), "protocol": 1, "write": .bool(options.isWritable),
                "timeZone": .text(options.timeZone),
                "files": .array(files.given.map(\.json)), "recent": .array(files.recent.map(\.json)),
                "history": .bool(options.statePath != nil),
            ]
        ]
    }
}
