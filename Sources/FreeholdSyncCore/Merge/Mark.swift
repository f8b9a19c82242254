/// What a write is known by: how it ranks among others, and who saw it.
struct Mark: Hashable, Sendable {
    var stamp: Stamp
    /// The stream's version that the write's commit took.
    var version: StreamVersion
    /// Not a default.
    var isReal = true
    /// It came with an assignment of the whole collection, and goes with that.
    var isAssigned = false

    var rank: Rank { Rank(isReal: isReal, stamp: stamp) }

    /// Before every write.
    static let nothing = Mark(stamp: Stamp(clock: .zero, ident: .me), version: 0, isReal: false)
}

/// The order of writes to one thing: any real one beats any default, then the stamp decides.
///
/// Two writes of one rank are of one commit and come in its order, so the one that is at hand wins against an equal one.
struct Rank: Hashable, Comparable, Sendable {
    let isReal: Bool
    let stamp: Stamp

    static func < (a: Rank, b: Rank) -> Bool {
        a.isReal == b.isReal ? a.stamp < b.stamp : b.isReal
    }
}

/// A commit at work on an object: the stamp of its writes, and what its author knew of the object.
struct Author: Sendable {
    let stamp: Stamp
    /// The version that the commit takes.
    let version: StreamVersion
    /// The version of the object that the author saw; 0 if it only knew its own work.
    var seen: StreamVersion
    /// The files that this one was copied from.
    var parents: [FileParent] = []

    /// The version of which `.confirmed` elements are indices, if not of the one that the author saw (`OldWork`).
    var listed: StreamVersion?

    /// Which elements the author saw of the list that a clear or an assignment is about. Nil if their births tell (`OldWork`: behind the horizon
    /// births are forgotten).
    var aligned: [ElementReference]?

    /// The version of the object that the author saw, if `seen` is a later one for the sake of the places that a change names (`OldWork`).
    var knew: StreamVersion?

    /// Several people write under the file's number: what it did in other commits isn't known to the author for that.
    var isShared = false

    /// The changes were refused. Only the slots of lists are made, dead, since later work can name them.
    var isRefused = false

    /// What an increment counts from if null stands there.
    var fill: SyncValue?

    var ident: FileIdent { stamp.ident }

    func mark(_ origin: Origin, isAssigned: Bool = false) -> Mark {
        Mark(stamp: stamp, version: version, isReal: origin == .real, isAssigned: isAssigned)
    }

    func saw(_ mark: Mark) -> Bool { mark.version <= knew ?? seen || isOwn(mark.stamp.ident, mark.version) }

    /// Whether the author's file did what a file did in a version, be it before it was copied.
    func isOwn(_ file: FileIdent, _ version: StreamVersion) -> Bool {
        if isShared { return file == ident && version == self.version }
        return file == ident || parents.contains { $0.ident == file && version <= $0.version }
    }
}

/// What became of a change in an object.
enum Outcome: Hashable {
    /// It counts, or lost to something that is allowed to beat it.
    case done
    case instanceGone
    case malformed
}
