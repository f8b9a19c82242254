import FreeholdCompression
import FreeholdServerStore

extension FileServerStore {
    /// Opens the documents of a server's folder. All programs have to open them with the same compression, because the
    /// logs are compressed.
    convenience init(ofServer folder: String, epoch: UInt64, named name: String = "sync") throws {
        var options = Options()
        options.openStreams = ProcessLimits.raised().openStreams
        options.compression = ZlibCompression.shared
        try self.init(at: "\(folder)/\(name)", epoch: epoch, options: options)
    }
}
