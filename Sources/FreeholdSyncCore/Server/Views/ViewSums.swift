/// The checksums of a view, which are updated with the stream.
struct ViewSums: Sendable {
    let view: View
    var cursor: Cursor
    private(set) var classes: [ClassChecksum]

    init(_ view: View, _ cursor: Cursor, _ classes: [ClassChecksum]) {
        (self.view, self.cursor, self.classes) = (view, cursor, classes)
    }

    var checksums: Checksums { Checksums(view: view.number, classes: classes) }

    /// Updates the checksums with a step, if the step begins at their cursor.
    ///
    /// - Parameter members: The objects that the view shows before or after the step.
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
