import NIOCore
import Synchronization

/// The open pages. Any thread may use it.
final class OpenSessions: Sendable {
    private struct Page {
        let channel: any Channel
        /// A closure that sends the close frame. Any thread may call it.
        let end: @Sendable () -> Void
    }

    private let most: Int
    private let pages = Mutex<[ObjectIdentifier: Page]>([:])
    private let changed: @Sendable (Int) -> Void

    init(most: Int, changed: @escaping @Sendable (Int) -> Void) { (self.most, self.changed) = (most, changed) }

    /// Adds a page. Returns `false` if too many are open.
    ///
    /// - Parameter end: A closure that sends the close frame at the end of the program. It is called on any thread.
    func add(_ channel: any Channel, end: @escaping @Sendable () -> Void) -> Bool {
        let count: Int? = pages.withLock { pages in
            guard pages.count < most else { return nil }
            pages[ObjectIdentifier(channel)] = Page(channel: channel, end: end)
            return pages.count
        }
        if let count { changed(count) }
        return count != nil
    }

    func remove(_ channel: any Channel) {
        let count: Int? = pages.withLock { pages in
            pages.removeValue(forKey: ObjectIdentifier(channel)) == nil ? nil : pages.count
        }
        if let count { changed(count) }
    }

    /// Sends a close frame to all pages, and waits until their connections are closed. Connections that aren't closed within two seconds are
    /// closed by the server.
    func closeAll() async {
        let open = pages.withLock { Array($0.values) }
        for page in open {
            let channel = page.channel
            page.end()
            let late = channel.eventLoop.scheduleTask(in: .seconds(2)) { channel.close(promise: nil) }
            channel.closeFuture.whenComplete { _ in late.cancel() }
        }
        for page in open { try? await page.channel.closeFuture.get() }
    }
}
