import FreeholdCompression
import FreeholdServerStore

extension FileServerStore {
    /// The documents of a server's folder. Their logs are compressed, so whoever opens them has to do it so.
    convenience init(ofServer folder: String, epoch: UInt64) throws {
        var options = Options()
        options.openStreams = ProcessLimits.raised().openStreams
        options.compression = ZlibCompression.shared
        try self.init(at: "\(folder)/sync", epoch: epoch, options: options)
    }
}
