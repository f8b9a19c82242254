public import FreeholdStudio

/// The program that provides the data of a page, and opens a session for each open page. Any thread may use it.
public protocol StudioHost: Sendable {
    /// The message that answers the `hello` of a page.
    var welcome: StudioJSON { get }
    /// The tickets of downloads and uploads, or `nil` if the program has neither.
    var downloads: StudioTickets? { get }

    /// Opens the session of a page.
    ///
    /// - Parameter send: A closure that sends a message to the page. Any thread may call it, and it doesn't block.
    func open(_ send: @escaping @Sendable ([UInt8]) -> Void) -> any StudioPageSession
}

/// The session of a page. Any thread may use it.
public protocol StudioPageSession: Sendable {
    /// Handles a message of the page.
    ///
    /// - Parameters:
    ///   - bytes: The message.
    ///   - done: A closure that is called when the message has been answered.
    func receive(_ bytes: [UInt8], done: @escaping @Sendable () -> Void)
    /// Ends the session.
    func close()
}

extension StudioSession: StudioPageSession {}

extension StudioProgram: StudioHost {
    public var downloads: StudioTickets? { tickets }

    public func open(_ send: @escaping @Sendable ([UInt8]) -> Void) -> any StudioPageSession {
        StudioSession(self, send: send)
    }
}
