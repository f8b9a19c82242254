import BenchMachine
import Foundation

/// `freehold-sync-bench [--quick] [--only TEXT] [--folder FOLDER] [--output FILE]`
@main
struct Main {
    struct Options {
        var isQuick = false
        /// Only the parts whose names contain it.
        var only: String?
        var folder = FileManager.default.currentDirectoryPath + "/.build-bench-data"
        var output: String?

        init(_ arguments: [String]) {
            var rest = arguments.dropFirst()[...]
            while let argument = rest.popFirst() {
                switch (argument, rest.first) {
                case ("--quick", _): isQuick = true
                case ("--only", let value?): (only, rest) = (value, rest.dropFirst())
                case ("--folder", let value?): (folder, rest) = (value, rest.dropFirst())
                case ("--output", let value?): (output, rest) = (value, rest.dropFirst())
                default:
                    print("usage: freehold-sync-bench [--quick] [--only TEXT] [--folder FOLDER] [--output FILE]")
                    exit(2)
                }
            }
        }
    }

    static func main() throws {
        let options = Options(CommandLine.arguments)
        let count = options.isQuick ? 100_000 : 1_000_000
        // The folder of an interrupted run.
        try? FileManager.default.removeItem(atPath: options.folder)
        try FileManager.default.createDirectory(atPath: options.folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: options.folder) }
        let started = ContinuousClock.now
        let parts: [(name: String, run: () throws -> SyncTable)] = [
            // First, since memory that other parts give back isn't counted.
            ("sessions", { SessionFigures.table() }),
            ("merge", { try MergeFigures.table(count) }),
            ("codec", { try CodecFigures.table() }),
            ("wire", { try WireFigures.table() }),
            ("bootstrap", { try BootstrapFigures.table(count, folder: options.folder) }),
            ("ingest", { try IngestFigures.table(count, folder: options.folder) }),
            ("views", { ViewFigures.table(options.isQuick ? [10, 1_000, 10_000] : [10, 1_000, 100_000]) }),
        ]
        var texts = ["# Sync: benchmark results"]
        for part in parts where options.only.map(part.name.contains) ?? true {
            progress(part.name)
            let table = try part.run()
            progress(table.markdown + "\n")
            texts.append(table.markdown)
        }
        let seconds = Int((ContinuousClock.now - started) / .seconds(1))
        texts.append(
            """
            One run of \(seconds) s, one thread, clients and server in one process, on a \(Machine.processor) with \
            \(Machine.memory) GB; \(Machine.kernel); \(Machine.compiler). Goals are those of the design for two cores.
            """
        )
        let text = texts.joined(separator: "\n\n") + "\n"
        print(text)
        if let output = options.output { try text.write(toFile: output, atomically: false, encoding: .utf8) }
    }
}

/// Figures of one part.
struct SyncTable {
    let title: String
    let columns: [String]
    private(set) var rows: [[String]] = []
    var note = ""

    init(_ title: String, _ columns: [String]) { (self.title, self.columns) = (title, columns) }

    mutating func add(_ cells: String...) { rows.append(cells) }

    var markdown: String {
        func line(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }
        var lines = ["## \(title)", "", line(columns)]
        lines.append("|" + columns.indices.map { $0 == 0 ? "---|" : "---:|" }.joined())
        lines += rows.map(line)
        if !note.isEmpty { lines += ["", note] }
        return lines.joined(separator: "\n")
    }
}

/// Seconds that something took.
func time(_ body: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try body()
    return (ContinuousClock.now - start) / .seconds(1)
}

/// Seconds that the process has had of all processors.
func processorSeconds() -> Double { Double(clock()) / Double(CLOCKS_PER_SEC) }

/// Bytes that the process holds.
func residentBytes() -> Int {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4_096
}
