import Foundation
import Freehold
import FreeholdEngine
import FreeholdSyncCore

/// A subscription in the form that the file stores.
struct KeptSubscription: Hashable, Sendable {
    var id: Int64
    var name: String?
    var query: StoredQuery
    var created: Date
    var updated: Date
}

/// A set of subscriptions. The sets of a file have increasing versions.
struct KeptSubscriptions: Hashable, Sendable {
    var version: Int64 = 0
    var all: [KeptSubscription] = []

    /// The queries for the server. Equal queries occur once.
    var queries: [ClassQuery] {
        var seen: Set<StoredQuery> = []
        return all.filter { seen.insert($0.query).inserted }.map { subscription in
            ClassQuery(
                className: SyncString(subscription.query.className),
                condition: SyncString(subscription.query.condition)
            )
        }
    }
}

/// The subscriptions in hidden tables of the file, which all processes see.
struct SubscriptionRows {
    private static let set = TableSpec("sync subscription set", columns: [ColumnSpec("version", .int)])
    private static let rows = TableSpec(
        "sync subscriptions",
        columns: [
            ColumnSpec("name", .string, optional: true), ColumnSpec("class", .string), ColumnSpec("condition", .string),
            ColumnSpec("created", .timestamp), ColumnSpec("updated", .timestamp),
        ]
    )

    static func read(_ view: DataView) -> KeptSubscriptions {
        var kept = KeptSubscriptions()
        guard let set = view.schema.hiddenTable(named: set.name), let rows = view.schema.hiddenTable(named: rows.name)
        else { return kept }
        if let key = view.keys(set).first, case .int(let version) = view.value(set.columns[0], key) {
            kept.version = version
        }
        for key in view.keys(rows) {
            func text(_ column: Int) -> String? {
                if case .string(let text) = view.value(rows.columns[column], key) { text } else { nil }
            }
            func date(_ column: Int) -> Date {
                guard case .timestamp(let time) = view.value(rows.columns[column], key) else { return .distantPast }
                return Date(timeIntervalSince1970: Double(time.seconds) + Double(time.nanoseconds) / 1e9)
            }
            kept.all.append(
                KeptSubscription(
                    id: key.raw,
                    name: text(0),
                    query: StoredQuery(className: text(1) ?? "", condition: text(2) ?? ""),
                    created: date(3),
                    updated: date(4)
                )
            )
        }
        return kept
    }

    /// Replaces the names in the queries of the subscriptions.
    ///
    /// - Returns: Sentences about the subscriptions that were removed, because their queries name a removed class or
    ///   property.
    static func rename(in transaction: WriteTransaction, _ renamed: (ClassQuery) -> ClassQuery?) throws -> [String] {
        guard let set = transaction.schema.hiddenTable(named: set.name),
            let rows = transaction.schema.hiddenTable(named: rows.name)
        else { return [] }
        var ended: [String] = []
        for subscription in read(transaction).all {
            let (className, condition) = (subscription.query.className, subscription.query.condition)
            let row = ObjectKey(subscription.id)
            guard let query = renamed(ClassQuery(className: SyncString(className), condition: SyncString(condition)))
            else {
                transaction.delete(rows, row)
                let name = subscription.name.map { " named '\($0)'" } ?? ""
                ended.append(
                    "The subscription\(name) to '\(className)' where \(condition) ended: the migration removed the class, or a property that it asks for. "
                        + "Subscribe anew."
                )
                continue
            }
            if query.className.string != className {
                try transaction.set(rows.columns[1], row, to: .string(query.className.string))
            }
            if query.condition.string != condition {
                try transaction.set(rows.columns[2], row, to: .string(query.condition.string))
            }
        }
        if let row = transaction.keys(set).first, case .int(let version) = transaction.value(set.columns[0], row),
            !ended.isEmpty
        {
            try transaction.set(set.columns[0], row, to: .int(version + 1))
        }
        return ended
    }

    /// Writes the differences as a set with the next version.
    ///
    /// - Parameter base: The set from which the changes began.
    /// - Throws: A `Realm.Error` with the code `.busy` if the file has another set by now.
    static func write(
        _ kept: KeptSubscriptions,
        basedOn base: KeptSubscriptions,
        to database: Database
    ) throws -> KeptSubscriptions {
        let transaction = try database.beginWrite()
        do {
            transaction.origin = .applier(FileClientStore.applier)
            let set = try transaction.addHiddenTable(set)
            let rows = try transaction.addHiddenTable(rows)
            let there = read(transaction)
            guard there.version == base.version else {
                throw Realm.Error(.busy, "Another transaction changed the subscriptions meanwhile. Repeat the update.")
            }
            let row = try transaction.keys(set).first ?? transaction.create(set)
            try transaction.set(set.columns[0], row, to: .int(there.version + 1))
            let known = Dictionary(uniqueKeysWithValues: there.all.map { ($0.id, $0) })
            for gone in Set(known.keys).subtracting(kept.all.map(\.id)) { transaction.delete(rows, ObjectKey(gone)) }
            for subscription in kept.all where known[subscription.id] != subscription {
                let key = known[subscription.id] == nil ? try transaction.create(rows) : ObjectKey(subscription.id)
                try transaction.set(rows.columns[0], key, to: subscription.name.map { .string($0) } ?? .null)
                try transaction.set(rows.columns[1], key, to: .string(subscription.query.className))
                try transaction.set(rows.columns[2], key, to: .string(subscription.query.condition))
                try transaction.set(rows.columns[3], key, to: subscription.created.stored)
                try transaction.set(rows.columns[4], key, to: subscription.updated.stored)
            }
            let written = read(transaction)
            _ = try transaction.commit()
            return written
        } catch {
            transaction.cancel()
            throw error
        }
    }
}

extension Date {
    /// The date as a stored value, rounded to the microsecond.
    fileprivate var stored: Value {
        let seconds = timeIntervalSince1970.rounded(.down)
        let rest = ((timeIntervalSince1970 - seconds) * 1e6).rounded()
        return .timestamp(Timestamp(seconds: Int64(seconds), nanoseconds: Int32(rest) * 1_000))
    }
}
