#if os(Linux)
    import Foundation
    import Testing

    @testable import FreeholdEngine

    @Suite("LMDB's lock file")
    struct LockFileTests {
        let folder = TemporaryFolder()

        private func status(_ path: String) throws -> stat {
            var status = stat()
            try require(stat(path, &status) == 0)
            return status
        }

        @Test
        func `the lock file has no holes that a full device couldn't fill`() throws {
            let path = folder.file()
            let environment = try StorageEnvironment.open(path: path, options: .init(maximumReaders: 300))
            defer { environment.close() }
            expect(try require(environment.info).maximumReaders == 300)
            let file = try status(path + "-lock")
            expect(file.st_size > 300 * 60)
            expect(Int(file.st_blocks) * 512 >= file.st_size)
        }

        @Test
        func `reserving changes neither the length of the lock file nor its contents`() throws {
            let path = folder.file("lock")
            let content = Data((0..<1000).map { UInt8(truncatingIfNeeded: $0) })
            try content.write(to: URL(fileURLWithPath: path))
            try LockFileSpace.reserve(path, slots: 1024)
            try expectEqual(Data(contentsOf: URL(fileURLWithPath: path)), content)
            expect(try status(path).st_blocks * 512 >= 1024 * 64)
        }
    }
#endif
