import Dispatch
import Foundation
import Synchronization

/// The tickets with which the page downloads and uploads files. A ticket is a number of 128 random bits. It can be used once, until it expires.
///
/// Any thread may use it.
public final class StudioTickets: Sendable {
    /// A file that the page downloads. It is deleted afterwards.
    public struct Download: Sendable {
        public let path: String
        public let name: String
        public let mediaType: String
        public let bytes: Int
    }

    /// A file that the page uploads.
    public struct Upload: Sendable {
        /// The path of the new file.
        public let path: String
        /// A closure that is called on any thread with the number of bytes of the complete file, or with `nil` if the upload has failed.
        public let finish: @Sendable (Int?) -> Void
    }

    /// The maximum size of an upload.
    public static let mostBytes = 1 << 30
    /// The maximum number of tickets that are valid at the same time.
    private static let most = 64

    private enum Ticket {
        case download(Download)
        case upload(Upload)
    }

    private let folder: String
    private let lifetime: DispatchTimeInterval
    private let tickets = Mutex<[String: Ticket]>([:])
    private let queue = DispatchQueue(label: "freehold.studio.tickets")

    init(folder: String, seconds: Int) { (self.folder, lifetime) = (folder, .seconds(seconds)) }

    /// Returns a path for a new file in a folder that other users can't read.
    func newPath() -> String { "\(folder)/\(Self.random())" }

    /// Returns 32 hexadecimal digits from the system's generator of random numbers.
    static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let text = String(generator.next(), radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }.joined()
    }

    func offer(_ download: Download) throws(StudioError) -> String { try add(.download(download)) }
    func expect(_ upload: Upload) throws(StudioError) -> String { try add(.upload(upload)) }

    private func add(_ ticket: Ticket) throws(StudioError) -> String {
        let number = Self.random()
        let isAdded = tickets.withLock { tickets in
            guard tickets.count < Self.most else { return false }
            tickets[number] = ticket
            return true
        }
        guard isAdded else {
            Self.discard(ticket)
            throw StudioError(.limit, "Too many downloads and uploads wait.")
        }
        queue.asyncAfter(deadline: .now() + lifetime) { [self] in
            if let old = tickets.withLock({ $0.removeValue(forKey: number) }) { Self.discard(old) }
        }
        return number
    }

    private static func discard(_ ticket: Ticket) {
        switch ticket {
        case .download(let download): unlink(download.path)
        case .upload(let upload): upload.finish(nil)
        }
    }

    /// Returns the download of a ticket, once. The caller deletes its file.
    public func takeDownload(_ number: String) -> Download? {
        tickets.withLock { tickets in
            guard case .download(let download) = tickets[number] else { return nil }
            tickets[number] = nil
            return download
        }
    }

    /// Returns the upload of a ticket, once. The caller calls `finish`.
    public func takeUpload(_ number: String) -> Upload? {
        tickets.withLock { tickets in
            guard case .upload(let upload) = tickets[number] else { return nil }
            tickets[number] = nil
            return upload
        }
    }
}
