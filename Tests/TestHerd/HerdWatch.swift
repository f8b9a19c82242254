import Foundation
public import Freehold

/// Copies of collections of a herd, each kept by its changes alone, and compared with the collection after every one.
///
/// Made and used where its realm is.
public final class HerdWatch {
    public private(set) var failures: [String] = []
    public private(set) var calls = 0
    private let realm: Realm
    private var tokens: [NotificationToken] = []
    /// Compare a copy with what there is now.
    private var checks: [() -> Void] = []

    public init(_ realm: Realm) {
        self.realm = realm
        let all = realm.objects(Cow.self)
        let zero = realm.object(ofType: Cow.self, forPrimaryKey: 0)!
        watch("all", all)
        watch("old", all.where { $0.age > 9 })
        watch("named", all.where { $0.name == "N3" })
        watch("by age", all.sorted(by: \.age))
        watch("by name and age", all.where { $0.age > 3 }.sorted(by: \.age).sorted(by: \.name))
        watch("distinct", all.sorted(by: \.age).distinct(by: [\.name]))
        watch("first", all.sorted(by: \.age, ascending: false).limited(to: 5))
        watch("page", all.sorted(by: \.name).offset(by: 4).limited(to: 6))
        watch("limited, then filtered", all.sorted(by: \.age).limited(to: 12).where { $0.id > 9 })
        watch("of old mothers", all.where { $0.mother.age > 8 })
        watch("by mother's name", all.sorted(byKeyPath: "mother.name"))
        watch("mothers", all.where { $0.calves.count > 1 })
        watch("friends", zero.friends)
        watch("friends by age", zero.friends.sorted(by: \.age))
        watch("calves", zero.calves)
        watch("old calves", zero.calves.where { $0.age > 5 })
        watch("tags", zero.tags)
        watch("notes", zero.notes)
        watch("sorted notes", zero.notes.sorted(ascending: false))
        watch(zero.scores)
        watch(all.sectioned(by: \.name))
        watch(all.sectioned(by: { $0.age / 5 }, sortDescriptors: ["name"]))
    }

    private func fail(_ text: String) { if failures.count < 3 { failures.append(text) } }

    /// Returns the present mistakes, at the realm's newest version.
    public func check() -> [String] {
        realm.refresh()
        for check in checks { check() }
        return failures
    }

    private func watch<C: RealmCollection>(_ name: String, _ collection: C) where C.Element == Cow {
        watch(name, collection) { "\($0.id) \($0.name) \($0.age) \($0.mother?.id ?? -1)" }
    }

    private func watch<C: RealmCollection>(_ name: String, _ collection: C) where C.Element == String {
        watch(name, collection) { $0 }
    }

    private func watch<C: RealmCollection>(_ name: String, _ collection: C, _ text: @escaping (C.Element) -> String) {
        var copy: [String]?
        tokens.append(
            collection.observe { [unowned self] change in
                calls += 1
                switch change {
                case .error(let error): fail("\(name): \(error)")
                case .initial(let all): copy = Array(all.map(text))
                case .update(let all, let deletions, let insertions, let modifications):
                    let before = copy ?? []
                    let now = Array(all.map(text))
                    guard deletions.allSatisfy({ $0 < before.count }), insertions.allSatisfy({ $0 < now.count }),
                        before.count - deletions.count + insertions.count == now.count
                    else {
                        copy = now
                        return fail("\(name): \(before) -\(deletions) +\(insertions) can't be \(now)")
                    }
                    for i in deletions.reversed() { copy!.remove(at: i) }
                    for i in insertions { copy!.insert(now[i], at: i) }
                    for i in change.newModifications { copy![i] = now[i] }
                    if copy != now {
                        fail("\(name): \(before) -\(deletions) +\(insertions) ~\(modifications) isn't \(now)")
                    }
                    copy = now
                }
            }
        )
        checks.append { [unowned self] in
            let now = Array(collection.map(text))
            if let copy, copy != now { fail("\(name): \(copy) isn't \(now) in the end") }
        }
    }

    private func watch(_ map: Map<String, Int>) {
        var copy: [String: Int]?
        func content() -> [String: Int] {
            Dictionary(uniqueKeysWithValues: map.asKeyValueSequence().map { ($0.key, $0.value) })
        }
        tokens.append(
            map.observe { [unowned self] change in
                calls += 1
                guard case .update(_, let deletions, let insertions, let modifications) = change else {
                    return copy = content()
                }
                for key in deletions {
                    if copy!.removeValue(forKey: key) == nil { fail("scores: no \(key) to delete") }
                }
                for key in insertions {
                    if copy!.updateValue(map[key]!, forKey: key) != nil { fail("scores: \(key) again") }
                }
                for key in modifications { copy![key] = map[key]! }
                if copy! != content() { fail("scores: \(copy!) isn't \(content())") }
                copy = content()
            }
        )
        checks.append { [unowned self] in if let copy, copy != content() { fail("scores: \(copy) in the end") } }
    }

    private func watch<Key>(_ sections: SectionedResults<Key, Cow>) {
        var copy: [[String]]?
        func text(_ cow: Cow) -> String { "\(cow.id) \(cow.name) \(cow.age)" }
        func content(_ all: SectionedResults<Key, Cow>) -> [[String]] { all.map { $0.map(text) } }
        tokens.append(
            sections.observe { [unowned self] change in
                calls += 1
                switch change {
                case .initial(let all): copy = content(all)
                case .update(let all, let deletions, let insertions, _, let new, let gone):
                    for path in deletions.reversed() { copy![path.section].remove(at: path.item) }
                    for i in gone.reversed() { copy!.remove(at: i) }
                    for i in new { copy!.insert([], at: i) }
                    for path in insertions { copy![path.section].insert(text(all[path]), at: path.item) }
                    for path in change.newModifications { copy![path.section][path.item] = text(all[path]) }
                    if copy! != content(all) { fail("sections: \(copy!) isn't \(content(all))") }
                    copy = content(all)
                }
            }
        )
        checks.append { [unowned self] in
            if let copy, copy != content(sections) { fail("sections: \(copy) in the end") }
        }
    }
}
