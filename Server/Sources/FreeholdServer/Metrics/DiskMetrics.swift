import Foundation
import Metrics

/// The size of the disk of a server's folder, and its free bytes.
struct DiskMetrics: Sendable {
    private let folder: String
    private let size: Meter
    private let free: Meter

    init(folder: String, _ factory: any MetricsFactory) {
        self.folder = folder
        size = Meter(label: "freehold_disk_bytes", dimensions: [], factory: factory)
        free = Meter(label: "freehold_disk_free_bytes", dimensions: [], factory: factory)
    }

    /// Reads both numbers. If the folder can't be read, the last numbers are kept.
    func measure() {
        guard let values = try? FileManager.default.attributesOfFileSystem(forPath: folder),
            let all = values[.systemSize] as? NSNumber, let rest = values[.systemFreeSize] as? NSNumber
        else { return }
        size.set(all.doubleValue)
        free.set(rest.doubleValue)
    }
}
