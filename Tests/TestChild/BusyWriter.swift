import Dispatch
import Freehold
import TestHerd

/// A place that asks for an asynchronous write, and is busy when it could begin.
enum BusyWriter {
    static let id = 1000

    /// - Parameters:
    ///   - way: The function that requests the write.
    ///   - say: Prints a line.
    static func run(_ path: String, _ way: String, _ say: @escaping @Sendable (String) -> Void) {
        let configuration = Herd.configuration(path)
        let done = DispatchSemaphore(value: 0)
        if way == "asyncWrite" {
            Task.detached {
                let place = try! await Place(configuration)
                async let written: Void = place.write()
                await place.block(say)
                await written
                say("wrote")
                done.signal()
            }
        } else {
            let queue = DispatchQueue(label: "busy")
            queue.async {
                let realm = try! Realm(configuration: configuration, queue: queue)
                if way == "writeAsync" {
                    realm.writeAsync {
                        realm.create(Cow.self, value: ["id": id])
                    } onComplete: { _ in
                        say("wrote")
                        done.signal()
                    }
                } else {
                    realm.beginAsyncWrite {
                        realm.create(Cow.self, value: ["id": id])
                        realm.commitAsyncWrite { _ in
                            say("wrote")
                            done.signal()
                        }
                    }
                }
                say("asked")
                _ = readLine()
            }
        }
        done.wait()
    }

    private actor Place {
        private var realm: Realm!

        init(_ configuration: Realm.Configuration) async throws {
            realm = try await Realm(configuration: configuration, actor: self)
        }

        func write() async {
            try! await realm.asyncWrite { realm.create(Cow.self, value: ["id": BusyWriter.id]) }
        }

        func block(_ say: @Sendable (String) -> Void) async {
            while !realm.isPerformingAsynchronousWriteOperations { await Task.yield() }
            say("asked")
            _ = readLine()
        }
    }
}
