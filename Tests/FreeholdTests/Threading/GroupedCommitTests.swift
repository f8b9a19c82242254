import Dispatch
import Foundation
import Freehold
import Testing

@Suite("Commits in groups")
struct GroupedCommitTests {
    private final class Place: @unchecked Sendable {
        let queue = DispatchQueue(label: "grouping")
        var realm: Realm?
        var log: [String] = []
    }

    @Test
    func `commits of a group are visible at once and completed in order, with later ones`() async throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).realm")
        let configuration = Realm.Configuration(fileURL: url, objectTypes: [THPerson.self])
        let place = Place()
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            place.queue.async {
                do {
                    let realm = try Realm(configuration: configuration, queue: place.queue)
                    place.realm = realm
                    for i in 0..<100 {
                        realm.beginAsyncWrite {
                            // The objects of earlier writes are present.
                            expectEqual(realm.objects(THPerson.self).count, i)
                            realm.add(THPerson(id: i, name: "", age: i))
                            realm.commitAsyncWrite(allowGrouping: true) { error in
                                place.log.append("\(i) \(error == nil)")
                            }
                        }
                    }
                    realm.beginAsyncWrite {
                        realm.add(THPerson(id: 0, name: "there is one", age: 0))
                        realm.commitAsyncWrite(allowGrouping: true) { error in
                            place.log.append("\((error as? Realm.Error)?.code == .duplicatePrimaryKey)")
                        }
                    }
                    // Without a completion.
                    realm.beginAsyncWrite {
                        realm.add(THPerson(id: 100, name: "", age: 0))
                        realm.commitAsyncWrite(allowGrouping: true)
                    }
                    realm.writeAsync({ realm.add(THPerson(id: 101, name: "", age: 0)) }) { error in
                        place.log.append("last \(error == nil) \(realm.objects(THPerson.self).count)")
                        done.resume()
                    }
                } catch {
                    done.resume(throwing: error)
                }
            }
        }
        place.queue.sync {
            expectEqual(place.log, (0..<100).map { "\($0) true" } + ["true", "last true 102"])
            expectEqual(place.realm?.isPerformingAsynchronousWriteOperations, false)
            // Outside of an asynchronous write, too.
            place.realm?.beginWrite()
            place.realm?.deleteAll()
        }
        await withCheckedContinuation { done in
            place.queue.async {
                place.realm?.commitAsyncWrite(allowGrouping: true) { _ in done.resume() }
            }
        }
        place.queue.sync { place.realm = nil }
        expect(try Realm(configuration: configuration).isEmpty)
        _ = try? Realm.deleteFiles(for: configuration)
    }
}
