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
    /// - Parameter indices: of the objects that the view can be concerned by. Nil for all.
    mutating func take(_ contents: StepContents, _ indices: [Int]? = nil) {
        guard cursor == contents.step.from else { return }
        cursor = contents.step.to
        for index in indices ?? Array(contents.objects.indices) {
            let object = contents.objects[index]
            let name = object.step.name
            guard let index = classes.firstIndex(where: { $0.className == name.className }) else { continue }
            if let before = object.step.before, view.contains(name, object.before) {
                classes[index].remove(name.key, version: view.version(name, before))
            }
            if let after = object.step.after, view.contains(name, object.after) {
                classes[index].add(name.key, version: view.version(name, after))
            }
        }
    }
}
