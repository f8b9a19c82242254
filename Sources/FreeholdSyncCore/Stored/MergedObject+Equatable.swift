/// Two objects are equal if all possible merges give equal results for both.
extension MergedObject: Equatable {
    public static func == (a: MergedObject, b: MergedObject) -> Bool {
        a.born == b.born && a.died == b.died && a.changed == b.changed && a.makers == b.makers
            && a.deleters == b.deleters && a.touched == b.touched && a.contested == b.contested && a.record == b.record
    }
}

extension Record: Equatable {
    static func == (a: Record, b: Record) -> Bool { a.base == b.base && a.fields == b.fields }
}

extension Record.Field: Equatable {
    static func == (a: Record.Field, b: Record.Field) -> Bool {
        switch (a, b) {
        case (.register(let a), .register(let b)): a == b
        case (.list(let a), .list(let b)): a == b
        case (.set(let a), .set(let b)): a == b
        case (.dictionary(let a), .dictionary(let b)): a == b
        default: false
        }
    }
}

extension Register: Equatable {
    static func == (a: Register, b: Register) -> Bool { a.held == b.held && a.mark == b.mark && a.edits == b.edits }
}

extension Register.Held: Equatable {
    static func == (a: Register.Held, b: Register.Held) -> Bool {
        switch (a, b) {
        case (.absent, .absent): true
        case (.value(let a), .value(let b)): a == b
        case (.instance(let a), .instance(let b)): a.ident == b.ident && a.number == b.number && a.record == b.record
        default: false
        }
    }
}

extension KeyedCollection: Equatable {
    static func == (a: KeyedCollection, b: KeyedCollection) -> Bool {
        a.base == b.base && a.assignment == b.assignment && a.entries == b.entries
    }
}

/// The division of spans into leaves, and the stored counts, are ignored.
extension ListTree: Equatable {
    static func == (a: ListTree, b: ListTree) -> Bool {
        a.assignment == b.assignment && a.youngest == b.youngest && a.registers == b.registers && a.moved == b.moved
            && a.positions == b.positions && a.blocks == b.blocks && a.plainSpans == b.plainSpans
    }

    /// The spans. Adjacent spans that can be joined are joined.
    var plainSpans: [Span] {
        var spans: [Span] = []
        forEachSpan { spans.append($0) }
        return joined(spans[...])
    }
}

extension ListTree.Block: Equatable {
    static func == (a: ListTree.Block, b: ListTree.Block) -> Bool {
        a.ident == b.ident && a.first == b.first && a.count == b.count && a.isBackward == b.isBackward
            && a.isAssigned == b.isAssigned && a.isReal == b.isReal && a.parent == b.parent && a.isLeft == b.isLeft
            && a.birth == b.birth && a.laterBirths == b.laterBirths && a.values == b.values
    }
}
