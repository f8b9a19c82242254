import BenchMachine
import Foundation

/// Runs workloads, engine after engine inside each repetition, so that a slow phase of the machine hits all of them.
final class Harness {
    let subjects: [any Subject]
    let repeats: Int
    private var openFiles: [Layer: FileKind] = [:]
    private(set) var results: [Result] = []

    /// The times of one workload in one layer.
    struct Result {
        let workload: String
        let layer: Layer
        let operations: Int
        /// The nanoseconds of an operation, for each run.
        let nanoseconds: [Double]

        var minimum: Double { nanoseconds.min() ?? .nan }
        var median: Double { nanoseconds.sorted()[nanoseconds.count / 2] }
    }

    init(_ subjects: [any Subject], repeats: Int) {
        self.subjects = subjects
        self.repeats = repeats
    }

    func result(_ workload: String, _ layer: Layer) -> Result? {
        results.first { $0.workload == workload && $0.layer == layer }
    }

    func run(_ workload: Workload) {
        let clock = ContinuousClock()
        let takingPart = subjects.filter { workload.takesPart($0.layer) }
        var times: [Layer: [Double]] = [:]
        for _ in 0..<repeats {
            var agreed: (figure: Int64, layer: Layer)?
            for subject in takingPart {
                workload.prepare(self, subject)
                sync()
                let start = clock.now
                let check = workload.run(subject)
                let duration = clock.now - start
                times[subject.layer, default: []].append(duration / .nanoseconds(1) / Double(workload.operations))
                let figure = check()
                if let agreed, agreed.figure != figure {
                    fail(
                        "\(workload.name): \(subject.layer.rawValue) says \(figure), \(agreed.layer.rawValue) \(agreed.figure)"
                    )
                }
                agreed = agreed ?? (figure, subject.layer)
            }
        }
        let added = takingPart.map {
            Result(
                workload: workload.name,
                layer: $0.layer,
                operations: workload.operations,
                nanoseconds: times[$0.layer]!
            )
        }
        results += added
        progress(
            "\(workload.name): " + added.map { "\($0.layer.fileName) \(figure($0.median))" }.joined(separator: ", ")
        )
    }

    // MARK: Files

    func create(_ kind: FileKind, _ subject: any Subject) {
        subject.create(kind)
        openFiles[subject.layer] = kind
    }

    func use(_ kind: FileKind, _ subject: any Subject) {
        guard openFiles[subject.layer] != kind else { return }
        subject.open(kind)
        openFiles[subject.layer] = kind
    }

    func close(_ subject: any Subject) {
        subject.close()
        openFiles[subject.layer] = nil
    }

    /// A copy of a file of this run, opened.
    func copy(_ kind: FileKind, to target: FileKind, _ subject: any Subject) {
        close(subject)
        let path = subject.path(target)
        for suffix in ["", "-lock", ".writer", "-wal", "-shm"] { unlink(path + suffix) }
        do {
            try FileManager.default.copyItem(atPath: subject.path(kind), toPath: path)
        } catch {
            fail("can't copy \(subject.path(kind)): \(error)")
        }
        use(target, subject)
    }

    func size(_ kind: FileKind, _ subject: any Subject) -> Int {
        close(subject)
        var information = stat()
        guard stat(subject.path(kind), &information) == 0 else { return 0 }
        return Int(information.st_size)
    }
}
