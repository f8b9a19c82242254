import FreeholdCompression
import FreeholdServerStore

extension FileServerStore {
    /// Opens the documents of a server's folder. The logs are compressed, so each program has to open them with this
    /// compression.
    convenience init(ofServer folder: String, epoch: UInt64, named name: String = "sync") throws {
        var options = Options()
        options.openStreams = ProcessLimits.raised().openStreams
        options.compression = ZlibCompression.shared
        try self.init(at: "\(folder)/\(name)", epoch: epoch, options: options)
    }
}
