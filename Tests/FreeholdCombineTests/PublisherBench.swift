import Dispatch
import Foundation
import FreeholdTestModels
import RealmSwift
import Testing

private let placeKey = DispatchSpecificKey<String>()

/// A realm on a queue, two other queues, and the values that a subscriber has received.
final class PublisherBench: @unchecked Sendable {
    let configuration: Realm.Configuration
    let home: ObservingQueue
    let subscribing = DispatchQueue(label: "subscribing")
    let receiving = DispatchQueue(label: "receiving")
    let notes = Notes()
    var token: NotificationToken?
    private var cancellables: [AnyCancellable] = []
    private let keeper: Realm

    init() throws {
        configuration = Realm.Configuration(
            inMemoryIdentifier: "publishers \(UUID().uuidString)",
            objectTypes: [CBItem.self, CBOwner.self, CBHub.self, CBPart.self, CBWhole.self]
        )
        home = ObservingQueue(configuration)
        home.queue.setSpecific(key: placeKey, value: "home")
        subscribing.setSpecific(key: placeKey, value: "subscribing")
        receiving.setSpecific(key: placeKey, value: "receiving")
        keeper = try Realm(configuration: configuration)
        try write { realm in
            realm.add(CBOwner())
            realm.add(CBHub())
        }
    }

    /// The queue on which the caller runs.
    static var place: String { DispatchQueue.getSpecific(key: placeKey) ?? "elsewhere" }

    func write(_ body: (Realm) throws -> Void) throws {
        try home.run { realm in try realm.write { try body(realm) } }
    }

    func add(_ id: Int) throws { try write { Self.add(id, to: $0) } }

    /// Adds an item to each collection of the owner.
    static func add(_ id: Int, to realm: Realm) {
        let owner = realm.objects(CBOwner.self).first!
        let item = CBItem(value: ["id": id, "number": id])
        item.hub = realm.objects(CBHub.self).first!
        owner.items.append(item)
        owner.set.insert(item)
        owner.map["\(id)"] = item
    }

    func keep(_ cancellable: AnyCancellable) { cancellables.append(cancellable) }

    func note(_ text: String) { notes.add("\(text) at \(Self.place)") }

    /// Adds a line about a value that a subscriber received.
    func note<Value: ThreadConfined>(_ text: String, _ value: Value) {
        note(value.isFrozen ? "\(text), frozen" : text)
    }

    func noteEnd<Failure: Error>(_ completion: Subscribers.Completion<Failure>) {
        switch completion {
        case .finished: note("finished")
        case .failure(let error): note("\(error)")
        }
    }

    /// Ends all subscriptions, each on the home queue.
    func end() {
        home.queue.sync { cancellables = [] }
        subscribing.sync {}
        receiving.sync {}
    }

    // MARK: Subscriptions

    /// Subscribes to values with the operators of a way.
    func subscribe<Value: RealmSubscribable & ThreadConfined>(
        to publisher: RealmPublishers.Value<Value>,
        _ way: Way,
        _ text: @escaping (Value) -> String
    ) {
        func sink<P: Publisher>(_ publisher: P) where P.Output == Value {
            keep(publisher.sink(receiveCompletion: { self.noteEnd($0) }, receiveValue: { self.note(text($0), $0) }))
        }
        let saved = publisher.saveToken(on: self, at: \.token)
        switch way {
        case .direct: sink(publisher)
        case .token: sink(saved)
        case .subscribeOn: sink(publisher.subscribe(on: subscribing))
        case .tokenSubscribeOn: sink(saved.subscribe(on: subscribing))
        case .receiveOn: sink(publisher.receive(on: receiving))
        case .tokenReceiveOn: sink(saved.receive(on: receiving))
        case .subscribeOnReceiveOn: sink(publisher.subscribe(on: subscribing).receive(on: receiving))
        case .threadSafe: sink(publisher.map { $0 }.threadSafeReference().receive(on: receiving))
        case .tokenThreadSafe: sink(saved.map { $0 }.threadSafeReference().receive(on: receiving))
        case .frozen: sink(publisher.freeze())
        case .frozenSubscribeOn: sink(publisher.subscribe(on: subscribing).freeze())
        case .frozenReceiveOn: sink(publisher.freeze().receive(on: receiving))
        case .frozenThreadSafe: sink(publisher.freeze().threadSafeReference().receive(on: receiving))
        }
    }

    /// Subscribes to changes with the operators of a way.
    func subscribe<Change: _PublishedChange>(
        toChanges publisher: RealmPublishers.Changeset<Change>,
        _ way: Way,
        _ text: @escaping (Change) -> String
    ) {
        func sink<P: Publisher>(_ publisher: P) where P.Output == Change {
            keep(
                publisher.sink(
                    receiveCompletion: { self.noteEnd($0) },
                    receiveValue: { self.note(text($0), $0._observed!) }
                )
            )
        }
        let saved = publisher.saveToken(on: self, at: \.token)
        switch way {
        case .direct: sink(publisher)
        case .token: sink(saved)
        case .subscribeOn: sink(publisher.subscribe(on: subscribing))
        case .tokenSubscribeOn: sink(saved.subscribe(on: subscribing))
        case .receiveOn: sink(publisher.receive(on: receiving))
        case .tokenReceiveOn: sink(saved.receive(on: receiving))
        case .subscribeOnReceiveOn: sink(publisher.subscribe(on: subscribing).receive(on: receiving))
        case .threadSafe: sink(publisher.map { $0 }.threadSafeReference().receive(on: receiving))
        case .tokenThreadSafe: sink(saved.map { $0 }.threadSafeReference().receive(on: receiving))
        case .frozen: sink(publisher.freeze())
        case .frozenSubscribeOn: sink(publisher.subscribe(on: subscribing).freeze())
        case .frozenReceiveOn: sink(publisher.freeze().receive(on: receiving))
        case .frozenThreadSafe: sink(publisher.freeze().threadSafeReference().receive(on: receiving))
        }
    }
}

/// Returns the lines of a subscriber that receives texts by a way.
func lines(_ texts: [String], _ way: Way) -> [String] {
    texts.map { text in
        text == "finished" ? "finished at \(way.place)" : "\(text)\(way.isFrozen ? ", frozen" : "") at \(way.place)"
    }
}
