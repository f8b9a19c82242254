import Foundation
import FreeholdEngine
import Testing
import TestScript

/// A file can be opened after any failure during its creation, and has the committed content.
@Suite(.enabled(if: Interposer.isAvailable, "needs a C compiler and LD_PRELOAD"))
struct CreationFailureTests {
    /// A call that fails, by its position in the order of calls, and the kind of failure.
    enum Fault: CaseIterable, CustomTestStringConvertible {
        case writeError, fullDevice, shortWrite, writeErrors, syncError, truncateError, reserveError

        var variables: [String: String] {
            switch self {
            case .writeError: ["FREEHOLD_FAULT": "write", "FREEHOLD_FAULT_ERROR": "\(EIO)"]
            case .fullDevice: ["FREEHOLD_FAULT": "write", "FREEHOLD_FAULT_ERROR": "\(ENOSPC)"]
            case .shortWrite: ["FREEHOLD_FAULT": "write", "FREEHOLD_FAULT_ERROR": "0"]
            case .writeErrors:
                ["FREEHOLD_FAULT": "write", "FREEHOLD_FAULT_ERROR": "\(EIO)", "FREEHOLD_FAULT_LASTS": "1"]
            case .syncError: ["FREEHOLD_FAULT": "sync", "FREEHOLD_FAULT_ERROR": "\(EIO)"]
            case .truncateError: ["FREEHOLD_FAULT": "truncate", "FREEHOLD_FAULT_ERROR": "\(ENOSPC)"]
            case .reserveError: ["FREEHOLD_FAULT": "reserve", "FREEHOLD_FAULT_ERROR": "\(ENOSPC)"]
            }
        }

        var testDescription: String { "\(self)" }
    }

    @Test(arguments: Fault.allCases)
    func `a file whose creation fails at any call is opened afterwards`(fault: Fault) throws {
        let folder = try ChildFolder()
        var failures = 0
        for n in 1...60 {
            let path = folder.file("\(n).realm")
            let mark = folder.file("\(n).mark")
            var variables = fault.variables
            variables["FREEHOLD_FAULT_FILE"] = path
            variables["FREEHOLD_FAULT_AT"] = "\(n)"
            variables["FREEHOLD_FAULT_MARK"] = mark
            let child = try Interposer.start(folder, ["transactions", path, "3", "2"], nil, variables)
            let said = child.readLines().compactMap { Int64($0) }.last ?? 0
            let status = child.wait()
            expect(status == 0 || status == 1, "\(fault) at \(n): \(status)")
            if status != 0 { failures += 1 }
            let database = try Database.open(at: path)
            let snapshot = try database.snapshot()
            expectEqual(snapshot.verify(), [], "\(fault) at \(n)")
            expect(State(snapshot).transaction >= said, "\(fault) at \(n)")
            let next = try ChildProcess(["transactions", path, "3", "1"])
            expect(next.readLines().last.flatMap { Int64($0) } ?? 0 > said, "\(fault) at \(n)")
            expectEqual(next.wait(), 0)
            guard FileManager.default.fileExists(atPath: mark) else {
                expect(n > 1 && failures > 0, "nothing failed")
                return
            }
        }
        Issue.record("\(fault): the writing never came to its end")
    }
}
