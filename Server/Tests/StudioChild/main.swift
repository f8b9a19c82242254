// A program that makes a file for the tests of Studio's page, and commits to it while the page is open, or that connects devices to a sync server.
//
// Arguments: `make FILE COUNT [--encrypted]`, `write FILE` or `crowd PORT APP`. The bytes of the key are 7. `write` reads a command from each line of standard input and answers each
// with a line: `bump N` adds 1 to the count of the specimen N, `insert`, `delete`, and `run SECONDS` commits as fast as it can.
import Foundation

let arguments = CommandLine.arguments
guard arguments.count >= 3 else { exit(64) }
let file = URL(fileURLWithPath: arguments[2])

switch arguments[1] {
case "make":
    let count = arguments.count > 3 ? Int(arguments[3]) ?? 1000 : 1000
    let isEncrypted = arguments.contains("--encrypted")
    try World.make(at: file, key: isEncrypted ? Data(repeating: 7, count: 64) : nil)
    if !isEncrypted { try World.fill(file, count: count) }
case "write":
    let writer = try Writer(file)
    answer("ready")
    while let line = readLine() { answer(try writer.run(line)) }
case "crowd":
    guard arguments.count == 4, let port = Int(arguments[2]) else { exit(64) }
    let crowd = try await Crowd(port: port, app: arguments[3])
    answer("ready")
    while let line = readLine() { answer(try await crowd.run(line)) }
default:
    exit(64)
}

func answer(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}
