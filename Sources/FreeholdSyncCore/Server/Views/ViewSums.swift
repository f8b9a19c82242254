/// What a view sums up to, carried along with the stream.
struct ViewSums: Sendable {
    let view: View
    var cursor: Cursor
    private(set) var classes: [ClassChecksum]

    init(_ view: View, _ cursor: Cursor, _ classes: [ClassChecksum]) {
        (self.view, self.cursor, self.classes) = (view, cursor, classes)
    }

    var checksums: Checksums { Checksums(view: view.number, classes: classes) }

    /// Takes a step in, if it begins here.
    ///
    /// - Parameter members: the objects that the view showed before the step or shows after it.
    mutating func take(_ step: StreamStep, _ members: [ViewStep.Member]) {
        guard cursor == step.from else { return }
        cursor = step.to
        for member in members {
            guard let index = classes.firstIndex(where: { $0.className == member.name.className }) else { continue }
            if let version = member.before { classes[index].remove(member.name.key, version: version) }
            if let version = member.after { classes[index].add(member.name.key, version: version) }
        }
    }
}
