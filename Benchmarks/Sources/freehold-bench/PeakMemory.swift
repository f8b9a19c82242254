import Foundation

/// The most memory that a bulk insert holds, measured in a process of its own that makes each row just before it
/// inserts it.
enum PeakMemory {
    struct Figures {
        /// MiB before the insert and at its peak, mapped pages of the file included.
        let before: Double
        let peak: Double
    }

    static func measure(_ layer: Layer, folder: String, count: Int) -> Figures? {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["--peak-memory", layer.fileName, "--folder", folder, "--objects", String(count)]
        let pipe = Pipe()
        process.standardOutput = pipe
        do { try process.run() } catch { return nil }
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let figures = output.split(separator: " ").compactMap {
            Double($0.trimmingCharacters(in: .whitespacesAndNewlines))
        }
        guard figures.count == 2 else { return nil }
        return Figures(before: figures[0] / 1024, peak: figures[1] / 1024)
    }

    /// The child's part: prints both figures in KiB.
    static func child(_ subject: any Subject, count: Int) {
        subject.create(.scratch)
        let before = highWater()
        subject.insertGenerated(count: count)
        print(before, highWater())
        guard subject.countPeople() == count else { fail("\(subject.layer.rawValue) lost objects") }
    }

    private static func highWater() -> Int {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") })
        else { return 0 }
        return Int(line.filter(\.isNumber)) ?? 0
    }
}
