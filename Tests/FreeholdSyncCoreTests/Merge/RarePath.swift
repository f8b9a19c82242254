@testable import FreeholdSyncCore
@testable import SyncWorlds

/// The paths that random histories must reach to be useful.
enum RarePath: CaseIterable {
    case losingAssignment, deadIncarnation, instanceGone, deadFromBirthNamed, moveLost, defaultLoses, clampedClock
    case editOfRemovedElement, resend, denied, notUnique, forbidden, causeRefused, commitRefused, rewrittenList

    static func taken(
        by event: History.Event,
        before: MergedStream,
        after: MergedStream,
        _ answer: MergeAnswer?
    ) -> Set<RarePath> {
        var taken: Set<RarePath> = []
        guard case .arrival(let ident, let commit, _) = event, let answer else {
            let isRewritten = before.store.objects.contains { name, object in
                slots(object) > slots(after.store.objects[name])
            }
            return isRewritten ? [.rewrittenList] : []
        }
        if after.store.version == before.store.version { return [.resend] }
        if answer.clock < commit.clock { taken.insert(.clampedClock) }
        for refusal in answer.refusals {
            switch refusal.reason {
            case .objectGone: taken.insert(.deadIncarnation)
            case .instanceGone: taken.insert(.instanceGone)
            case .denied: taken.insert(.denied)
            case .notUnique: taken.insert(.notUnique)
            case .forbidden: taken.insert(.forbidden)
            case .causeRefused: taken.insert(.causeRefused)
            case .commitRefused: taken.insert(.commitRefused)
            case .malformed, .createOnly, .elementGone, .replaced, .tooLarge, .retyped: break
            }
        }
        let refused = Set(answer.refusals.map(\.index))
        for (index, change) in commit.changes.enumerated() where !refused.contains(index) {
            guard let old = before.store.objects[change.object], let new = after.store.objects[change.object],
                old.isAlive, new.isAlive
            else { continue }
            switch change {
            case .set(let place, let value, .byDefault):
                guard case .property(let name)? = place.path.first, place.path.count == 1 else { break }
                if old.content(name) != nil, new.content(name) != .value(value) { taken.insert(.defaultLoses) }
            case .assignList(let place, _, _, let first, let values):
                guard !values.isEmpty, let list = list(new, place), let slot = list.slot(ident, first) else { break }
                if list.died(slot) == 0 { taken.insert(.losingAssignment) }
            case .move(let place, _, _, let number):
                guard let list = list(new, place), let slot = list.slot(ident, number) else { break }
                if list.died(slot) == 0, list.isAlive(list.moved[slot] ?? slot) { taken.insert(.moveLost) }
            case .set(let place, _, .real), .increment(let place, _), .remove(let place, _):
                guard let list = list(old, place) else { break }
                for number in numbers(of: change) {
                    guard let slot = list.slot(ident, number) else { continue }
                    if list.died(slot) == 0 { taken.insert(.deadFromBirthNamed) }
                    if !list.isAlive(list.moved[slot] ?? slot) { taken.insert(.editOfRemovedElement) }
                }
            case .insert(let place, let gap, _, _):
                guard let list = list(old, place) else { break }
                for case .own(let number)? in [gap.after, gap.before] {
                    guard let slot = list.slot(ident, number) else { continue }
                    if list.died(slot) == 0 { taken.insert(.deadFromBirthNamed) }
                }
            default: break
            }
        }
        return taken
    }

    private static func numbers(of change: Change) -> [OwnNumber] {
        switch change {
        case .set(let place, _, _), .increment(let place, _):
            place.path.compactMap { if case .element(.own(let number)) = $0 { number } else { nil } }
        case .remove(_, let elements): elements.compactMap { if case .own(let number) = $0 { number } else { nil } }
        default: []
        }
    }

    private static func list(_ object: MergedObject, _ place: Place) -> ListTree? {
        guard case .property(let name)? = place.path.first, case .list(let list)? = object.record.fields[name] else {
            return nil
        }
        return list
    }

    private static func slots(_ object: MergedObject?) -> Int32 {
        object?.record.fields.reduce(0) { sum, field in
            if case .list(let list) = field.value { sum + list.blocks.reduce(0) { $0 + $1.count } } else { sum }
        } ?? 0
    }
}
