import Foundation
import FreeholdStudio
import Testing

@testable import FreeholdServer
@testable import FreeholdServerStudio

/// The backups that the page of a server lists and makes.
@Suite(.timeLimit(.minutes(5))) struct ServerBackupsTests {
    private func folder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "freehold-backups-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    /// Makes a folder with a file like a server's.
    private static func make(_ path: String) throws -> Int {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try Data("{}".utf8).write(to: URL(filePath: path + "/server.json"))
        return 1
    }

    @Test func `backups are listed, the newest first, and other folders aren't`() async throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let backups = ServerBackups(folder: folder.path, hasDocuments: true) { try Self.make($0) }
        #expect(try backups.list()["backups"] == [])
        let first = try await backups.make(isDry: true, at: Date(timeIntervalSince1970: 1_700_000_000))
        #expect(first["name"] == "2023-11-14T221320Z")
        #expect(first["path"]?.text == folder.path + "/2023-11-14T221320Z")
        #expect(try backups.list()["count"] == 0)
        for second in 0..<3 {
            let time = Date(timeIntervalSince1970: 1_700_000_000 + Double(second))
            #expect(try await backups.make(isDry: false, at: time)["files"] == 1)
        }
        try FileManager.default.createDirectory(at: folder.appending(path: "other"), withIntermediateDirectories: true)
        // A copy that isn't complete.
        _ = try Self.make(folder.path + "/2023-11-14T221323Z.77.unfinished")
        let list = try backups.list()
        #expect(list["count"] == 3)
        let names = list["backups"]?.elements?.compactMap { $0["name"]?.text }
        #expect(names == ["2023-11-14T221322Z", "2023-11-14T221321Z", "2023-11-14T221320Z"])
        #expect(list["backups"]?.elements?.first?["files"] == 1)
        #expect(list["backups"]?.elements?.first?["bytes"] == 2)
        // Two backups of one second have the same name. The second one fails, and the first one stays.
        await #expect(throws: StudioError.self) {
            try await backups.make(isDry: false, at: Date(timeIntervalSince1970: 1_700_000_000))
        }
        #expect(try backups.list()["count"] == 3)
    }

    @Test func `the list has a bounded number of backups`() async throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        for number in 0..<250 { _ = try Self.make(folder.path + "/backup \(number)") }
        let backups = ServerBackups(folder: folder.path, hasDocuments: false) { _ in 0 }
        let list = try backups.list()
        #expect(list["count"] == 250)
        #expect(list["backups"]?.elements?.count == ServerBackups.most.backups)
        #expect(list["documents"] == false)
    }

    @Test func `one backup is made at a time, and a failure is reported`() async throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let (started, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let backups = ServerBackups(folder: folder.path, hasDocuments: true) { _ in
            started.signal()
            end.wait()
            throw CocoaError(.fileWriteOutOfSpace)
        }
        let first = Task { try await backups.make(isDry: false) }
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                started.wait()
                continuation.resume()
            }
        }
        #expect(try backups.list()["making"] == true)
        do {
            _ = try await backups.make(isDry: false)
            Issue.record("A second backup began.")
        } catch let error as StudioError { #expect(error.code == .busy) }
        end.signal()
        await #expect(throws: StudioError.self) { try await first.value }
        #expect(try backups.list()["making"] == false)
    }
}
