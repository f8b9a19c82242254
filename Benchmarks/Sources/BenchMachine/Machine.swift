import Foundation

/// What the report says about where it was made.
public enum Machine {
    public static var processor: String {
        guard let text = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("model name") }),
            let name = line.split(separator: ":").last
        else { return "unknown processor" }
        return name.trimmingCharacters(in: .whitespaces)
    }

    public static var memory: Int { Int(ProcessInfo.processInfo.physicalMemory >> 30) }

    public static var kernel: String {
        var system = utsname()
        uname(&system)
        func text<T>(_ field: T) -> String {
            withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
        let name = (try? String(contentsOfFile: "/etc/os-release", encoding: .utf8))?
            .split(separator: "\n").first { $0.hasPrefix("PRETTY_NAME=") }?
            .dropFirst("PRETTY_NAME=".count).trimmingCharacters(in: ["\""])
        return [name, "\(text(system.sysname)) \(text(system.release)) \(text(system.machine))"]
            .compactMap { $0 }.joined(separator: ", ")
    }

    public static var compiler: String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["swift", "--version"]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return "Swift" }
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return output.split(separator: "\n").first.map(String.init) ?? "Swift"
    }

    public static var syncMicroseconds: Int {
        let path = FileManager.default.currentDirectoryPath + "/.freehold-bench-sync"
        let file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
        guard file >= 0 else { return 0 }
        defer {
            close(file)
            unlink(path)
        }
        let block = [UInt8](repeating: 7, count: 4096)
        _ = pwrite(file, block, 4096, 0)
        fsync(file)
        let times = (0..<50).map { _ in
            let start = ContinuousClock.now
            _ = pwrite(file, block, 4096, 0)
            _ = fdatasync(file)
            return (ContinuousClock.now - start) / .microseconds(1)
        }
        return Int(times.sorted()[25])
    }
}
