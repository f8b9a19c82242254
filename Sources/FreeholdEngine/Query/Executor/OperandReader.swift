/// The values of paths and aggregates for single objects.
struct OperandReader {
    let view: DataView

    func values(_ operand: Operand, _ key: ObjectKey) -> [Value] {
        switch operand {
        case .path(let path): return values(path.steps[...], path.column, key)
        case .count(let path): return [.int(Int64(count(path, key)))]
        case .aggregate(let aggregate, let path):
            var fold = ValueFold(aggregate, isMixed: path.column?.type == .mixed)
            for value in values(path.steps[...], path.column, key) { fold.add(value) }
            return [fold.result]
        }
    }

    func values(_ path: PropertyPath, _ key: ObjectKey) -> [Value] { values(path.steps[...], path.column, key) }

    private func values(_ steps: ArraySlice<PathStep>, _ column: Column?, _ key: ObjectKey) -> [Value] {
        guard let step = steps.first else {
            guard let column else { return [.link(key)] }
            return column.collection == .none ? [view.value(column, key)] : view.listValues(column, key)
        }
        let rest = steps.dropFirst()
        switch step {
        case .link(let link) where link.collection == .none:
            guard case .link(let target) = view.value(link, key) else {
                return PropertyPath(Array(rest), column).isToMany ? [] : [.null]
            }
            return values(rest, column, target)
        case .link(let link): return view.listLinks(link, key).flatMap { values(rest, column, $0) }
        case .backlink(let origin): return view.backlinks(origin, key).flatMap { values(rest, column, $0) }
        }
    }

    private func count(_ path: PropertyPath, _ key: ObjectKey) -> Int {
        if path.steps.isEmpty, let column = path.column, column.collection != .none {
            return view.listCount(column, key)
        }
        if path.column == nil, path.steps.count == 1 {
            switch path.steps[0] {
            case .backlink(let origin): return view.backlinkCount(origin, key)
            case .link(let link) where link.collection != .none: return view.listCount(link, key)
            default: break
            }
        }
        return values(path, key).count
    }
}
