/// The identity of a write. It decides how the write ranks among other writes, and which authors saw it.
struct Mark: Hashable, Sendable {
    var stamp: Stamp
    /// The version of the stream that the write's commit received.
    var version: StreamVersion
    /// A Boolean value that indicates whether the write isn't a default.
    var isReal = true
    /// A Boolean value that indicates whether the write is part of an assignment of the whole collection. A later
    /// assignment removes it.
    var isAssigned = false

    var rank: Rank { Rank(isReal: isReal, stamp: stamp) }

    /// A mark that ranks before every write.
    static let nothing = Mark(stamp: Stamp(clock: .zero, ident: .me), version: 0, isReal: false)
}

/// The rank of a write to a place. Real writes rank above defaults. The stamp decides between two writes of one kind.
///
/// Two writes with equal ranks are from one commit and are applied in its order. A write that is applied therefore wins
/// against an earlier one with an equal rank.
struct Rank: Hashable, Comparable, Sendable {
    let isReal: Bool
    let stamp: Stamp

    static func < (a: Rank, b: Rank) -> Bool {
        a.isReal == b.isReal ? a.stamp < b.stamp : b.isReal
    }
}

/// The author of a commit, from the point of view of one object: the stamp of the commit's writes, and the author's
/// knowledge of the object.
struct Author: Sendable {
    let stamp: Stamp
    /// The version of the stream that the commit receives.
    let version: StreamVersion
    /// The version of the object that the author saw. It is 0 if the author only knew its own work.
    var seen: StreamVersion
    /// The files of which the author's file is a copy.
    var parents: [FileParent] = []

    /// The version to which the indices of `.confirmed` elements refer, if it isn't the version that the author saw
    /// (`OldWork`).
    var listed: StreamVersion?

    /// The elements that the author saw, for the list that a clear or an assignment is about. `nil` if the births of
    /// the elements decide. Births before the horizon aren't stored (`OldWork`).
    var aligned: [ElementReference]?

    /// The version of the object that the author saw, if `seen` is a later version which the places of a change need
    /// (`OldWork`).
    var knew: StreamVersion?

    /// A Boolean value that indicates whether several people write under the number of the file. Then the author
    /// doesn't know the other commits of the file.
    var isShared = false

    /// A Boolean value that indicates whether the changes were refused. Then only the dead slots of lists are created,
    /// since later work can name them.
    var isRefused = false

    /// The value from which an increment counts if the present value is null.
    var fill: SyncValue?

    var ident: FileIdent { stamp.ident }

    func mark(_ origin: Origin, isAssigned: Bool = false) -> Mark {
        Mark(stamp: stamp, version: version, isReal: origin == .real, isAssigned: isAssigned)
    }

    func saw(_ mark: Mark) -> Bool { mark.version <= knew ?? seen || isOwn(mark.stamp.ident, mark.version) }

    /// Returns whether the author's file wrote the version of a file, possibly before it was copied.
    func isOwn(_ file: FileIdent, _ version: StreamVersion) -> Bool {
        if isShared { return file == ident && version == self.version }
        return file == ident || parents.contains { $0.ident == file && version <= $0.version }
    }
}

/// The outcome of a change in an object.
enum Outcome: Hashable {
    /// The change was applied, or it lost to another change by the merge rules.
    case done
    case instanceGone
    case malformed
}
