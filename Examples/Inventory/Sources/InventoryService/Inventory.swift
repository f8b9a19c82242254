public import Foundation
import Freehold
import HTTPTypes

/// The operations of the service on its file. It knows no HTTP.
///
/// Any task may call the methods. Reads run at the same time, writes run one after another, and no call blocks a thread
/// of the caller.
public struct Inventory: Sendable {
    let store: Realm.Store
    /// The time limit of a request's access to the file.
    let timeout: Duration

    /// Opens the file in a folder, and creates the folder and the file if necessary.
    ///
    /// - Parameter key: The 64 bytes of the key of an encrypted file.
    public init(folder: URL, key: Data? = nil, timeout: Duration = .seconds(10)) async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var configuration = Realm.Configuration(
            fileURL: folder.appendingPathComponent("inventory.realm"),
            encryptionKey: key,
            schemaVersion: 1,
            objectTypes: [Item.self, Movement.self]
        )
        // Requests that commit at the same time share a flush of the disk.
        configuration.usesCommitLog = true
        configuration.busyTimeout = timeout
        store = try await Realm.Store(configuration)
        self.timeout = timeout
    }

    /// Returns the values of an item.
    ///
    /// - Throws: `Problem` if the item is missing.
    func item(_ sku: String) async throws -> ItemInfo {
        try await store.read(timeout: timeout) { realm in
            guard let item = realm.object(ofType: Item.self, forPrimaryKey: sku) else { throw Problem.notFound(sku) }
            return ItemInfo(item)
        }
    }

    /// Returns a page of items in the order of their keys. A page continues after the last key of the page before, so
    /// that new and deleted items don't shift it.
    func items(_ query: ItemQuery) async throws -> Page<ItemInfo> {
        try await store.read(timeout: timeout) { realm in
            // A query that scans the whole file ends at the time limit, too.
            try realm.withInterruptibleQueries {
                var found = realm.objects(Item.self)
                if let category = query.category { found = found.where { $0.category == category } }
                if let text = query.text { found = found.where { $0.name.contains(text, options: .caseInsensitive) } }
                if query.isLow { found = found.where { $0.quantity <= $0.reorderLevel } }
                if let after = query.after { found = found.where { $0.sku > after } }
                // One more than the page: it shows whether there is a following page.
                let items = found.sorted(by: \.sku).prefix(query.limit + 1).map(ItemInfo.init)
                let page = Array(items.prefix(query.limit))
                return Page(items: page, next: items.count > query.limit ? page.last?.sku : nil)
            }
        }
    }

    /// Creates an item. A duplicate key is an error that the write throws.
    func create(_ draft: ItemDraft) async throws -> ItemInfo {
        try draft.validate(isNew: true)
        return try await store.write(timeout: timeout) { realm in
            let item = Item()
            item.sku = draft.sku ?? ""
            item.quantity = draft.quantity ?? 0
            draft.apply(to: item)
            realm.add(item)
            // The values of an object that wasn't added are those of the request, and the write throws at its end.
            return ItemInfo(item)
        }
    }

    /// Replaces the description of an item.
    ///
    /// - Parameter revision: The revision that the client has seen, or `nil`.
    /// - Throws: `Problem` if the item is missing or has another revision.
    func replace(_ sku: String, with draft: ItemDraft, revision: Int?) async throws -> ItemInfo {
        try draft.validate(isNew: false)
        return try await store.write(timeout: timeout) { realm in
            let item = try realm.item(sku, revision: revision)
            draft.apply(to: item)
            item.change()
            return ItemInfo(item)
        }
    }

    /// Deletes an item and its movements.
    ///
    /// - Throws: `Problem` if the item is missing, has another revision, or is in stock.
    func delete(_ sku: String, revision: Int?) async throws {
        try await store.write(timeout: timeout) { realm in
            let item = try realm.item(sku, revision: revision)
            guard item.quantity == 0 else {
                throw Problem(.conflict, "in-stock", detail: "\(item.quantity) of \(sku) are in stock.")
            }
            realm.delete(item)
        }
    }

    /// Changes quantities in one transaction. A movement that the file has is skipped, so that a client may repeat a
    /// request whose response it didn't receive.
    ///
    /// - Returns: The movements of the request, in its order, and whether all of them were known.
    /// - Throws: `Problem` if an item is missing or its quantity would become negative. Then nothing has changed.
    func move(_ drafts: [MovementDraft]) async throws -> (movements: [MovementInfo], isRepeated: Bool) {
        try MovementDraft.validate(drafts)
        return try await store.write(timeout: timeout) { realm in
            var (movements, isRepeated) = ([MovementInfo](), true)
            for draft in drafts {
                if let known = realm.object(ofType: Movement.self, forPrimaryKey: draft.id) {
                    guard known.item?.sku == draft.sku, known.delta == draft.delta else {
                        throw Problem(.conflict, "duplicate", detail: "Another movement has the id \(draft.id).")
                    }
                    movements.append(MovementInfo(known))
                    continue
                }
                isRepeated = false
                let item = try realm.item(draft.sku)
                let balance = item.quantity + draft.delta
                guard (0...maximumQuantity).contains(balance) else {
                    throw Problem(.conflict, "stock", detail: "\(item.quantity) of \(draft.sku) are in stock.")
                }
                item.quantity = balance
                item.change()
                let movement = Movement()
                movement.id = draft.id
                movement.item = item
                movement.number = item.revision
                movement.delta = draft.delta
                movement.balance = balance
                movement.reason = draft.reason ?? ""
                realm.add(movement)
                movements.append(MovementInfo(movement))
            }
            return (movements, isRepeated)
        }
    }

    /// Returns movements of an item, the newest first.
    ///
    /// - Parameter before: The number of the last movement of the page before.
    func movements(of sku: String, before: Int?, limit: Int) async throws -> Page<MovementInfo> {
        try await store.read(timeout: timeout) { realm in
            let item = try realm.item(sku)
            var found = realm.objects(Movement.self).where { $0.item == item }
            if let before { found = found.where { $0.number < before } }
            let movements = found.sorted(by: \.number, ascending: false).prefix(limit + 1).map(MovementInfo.init)
            let page = Array(movements.prefix(limit))
            return Page(items: page, next: movements.count > limit ? page.last.map { String($0.number) } : nil)
        }
    }
}

extension ItemDraft {
    fileprivate func apply(to item: Item) {
        item.name = name
        item.category = category
        item.reorderLevel = reorderLevel ?? 0
        item.tags.removeAll()
        item.tags.insert(objectsIn: tags ?? [])
    }
}

extension Item {
    fileprivate func change() {
        revision += 1
        changed = Date()
    }
}

extension Realm {
    /// Returns an item.
    ///
    /// - Throws: `Problem` if the item is missing or has another revision.
    fileprivate func item(_ sku: String, revision: Int? = nil) throws -> Item {
        guard let item = object(ofType: Item.self, forPrimaryKey: sku) else { throw Problem.notFound(sku) }
        if let revision, revision != item.revision {
            let detail = "The item has changed. Its revision is \(item.revision)."
            throw Problem(.preconditionFailed, "changed", detail: detail)
        }
        return item
    }
}
