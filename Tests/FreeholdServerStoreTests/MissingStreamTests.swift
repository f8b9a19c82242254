import Foundation
import FreeholdServerStore
import FreeholdSyncCore
import Testing

/// Streams without any commit.
struct MissingStreamTests {
    private static let stream = StreamName(app: "notes", value: .string("anything"))

    private static let reads: [ServerStoreRequest.Kind] = [
        .bind(FileQuery(ident: nil, acknowledged: 0)), .read(RowQuery()),
        .step(after: Cursor(epoch: 7, version: 0, hash: .empty), objects: 10),
        .page(class: "Note", after: nil, at: 0, objects: 10), .objects([ObjectName("Note", 1)], at: 0),
        .trim(log: 1_000, horizon: 1_000),
    ]

    @Test func `what only reads answers as of an empty stream, and makes no file`() throws {
        let folder = NSTemporaryDirectory() + "freehold-missing-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let files = try FileServerStore(at: folder, epoch: 7)
        for kind in Self.reads {
            switch files.perform(ServerStoreRequest(Self.stream, kind)) {
            case .bind(let answer): expect(answer.head.epoch == 7 && answer.head.version == 0)
            case .rows(let rows): expect(rows.head.epoch == 7 && rows.head.version == 0)
            case .step(let step): expectEqual(step?.to.version ?? 0, 0)
            case .page(let page): expect(page?.objects.isEmpty == true && page?.isLast == true)
            case .objects(let objects): expectEqual(objects?.isEmpty, true)
            case .head(let head): expectEqual(head.version, 0)
            case let answer: Issue.record("\(kind): \(answer)")
            }
        }
        expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        // A reader from before the creation continues in the stream after it.
        let make = ServerStoreRequest.Kind.makeFile(
            user: "ann",
            secret: SecretHash(FileSecret(high: 1, low: 2)),
            parents: [],
            clock: .zero
        )
        guard case .file = files.perform(ServerStoreRequest(Self.stream, make)),
            case .rows(let rows) = files.perform(ServerStoreRequest(Self.stream, .read(RowQuery())))
        else {
            Issue.record("no file")
            return
        }
        expect(rows.head.epoch == 7 && rows.head.version == 0)
        try expectEqual(files.streams(), [Self.stream])
    }
}
