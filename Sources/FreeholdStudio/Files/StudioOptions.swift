/// The options with which the program was started.
public struct StudioOptions: Sendable {
    /// The paths of the files on the command line.
    public var files: [String] = []
    /// A Boolean value that indicates whether requests may change files.
    public var isWritable = false
    /// The name of a time zone such as `Europe/Berlin`, or `nil` for that of the browser.
    public var timeZone: String?
    /// The key of the encrypted files of the command line, if one was given.
    public var key: [UInt8]?
    /// The path of the list of recent files, or `nil` if nothing is remembered.
    public var statePath: String?
    /// The folder for copies and uploads. Other users can't read it.
    public var temporaryFolder: String
    /// The time for which a ticket of a download or an upload is valid, in seconds.
    public var ticketSeconds = 30

    public init(temporaryFolder: String) { self.temporaryFolder = temporaryFolder }
}
