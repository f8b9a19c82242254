// A process that delivers the objects of a store until a test kills it. Arguments: `file STORE FOLDER` or
// `hook STORE FOLDER ADDRESS`.
import Foundation
import FreeholdServer
import FreeholdServerStore
import FreeholdSyncCore

let arguments = CommandLine.arguments
guard arguments.count >= 4 else { exit(64) }
let folder = arguments[3]
let store = try FileServerStore(at: arguments[2], epoch: 1)
let source = StoreIngestSource(store, stream: StreamName(app: "shop"), className: "Reading")
let sink: any IngestSink =
    arguments[1] == "file"
    ? try FileSink(folder, name: "reading", options: .init(fileSize: 20_000, rememberedKeys: 200))
    : try HookSink(arguments[4], deadLetters: folder + "/dead.jsonl", options: .init(secrets: ["s"]))
let pump = IngestPump(
    source,
    to: sink,
    ledger: folder + "/ledger",
    options: .init(batchObjects: 20, idle: .milliseconds(5), backoff: IngestBackoff(first: .milliseconds(1)))
)
if arguments.contains("--once") {
    try await pump.drain()
} else {
    try await pump.run()
}
