/// What a view sums up to, carried along with the stream.
struct ViewSums: Sendable {
    let view: View
    private(set) var cursor: Cursor
    private(set) var classes: [ClassChecksum]

    init(_ view: View, _ cursor: Cursor, _ classes: [ClassChecksum]) {
        (self.view, self.cursor, self.classes) = (view, cursor, classes)
    }

    var checksums: Checksums { Checksums(view: view.number, classes: classes) }

    /// Takes a step in, if it begins here.
    mutating func take(_ step: StreamStep) {
        guard cursor == step.from else { return }
        cursor = step.to
        for object in step.objects {
            guard let index = classes.firstIndex(where: { $0.className == object.name.className }) else { continue }
            if let before = object.before, view.contains(object.name, before) {
                classes[index].remove(object.name.key, version: before.changed)
            }
            if let after = object.after, view.contains(object.name, after) {
                classes[index].add(object.name.key, version: after.changed)
            }
        }
    }
}
