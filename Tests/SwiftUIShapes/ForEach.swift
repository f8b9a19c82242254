public import Foundation

/// The views of the elements of a collection.
public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: _BodilessView, PrimitiveView {
    private let data: Data
    private let id: (Data.Element) -> ID
    private let content: (Data.Element) -> Content
    private var delete: ((IndexSet) -> Void)?
    private var move: ((IndexSet, Int) -> Void)?

    public init(
        _ data: Data,
        id: KeyPath<Data.Element, ID>,
        @ViewBuilder content: @escaping (Data.Element) -> Content
    ) {
        (self.data, self.content) = (data, content)
        self.id = { $0[keyPath: id] }
    }

    public func onDelete(perform action: ((IndexSet) -> Void)?) -> Self {
        var copy = self
        copy.delete = action
        return copy
    }

    public func onMove(perform action: ((IndexSet, Int) -> Void)?) -> Self {
        var copy = self
        copy.move = action
        return copy
    }

    func elements(_ evaluation: Evaluation) -> [Element] {
        var rows = data.flatMap { element in evaluation.evaluate(content(element), "\(id(element))") }
        if delete != nil || move != nil { rows.append(Element(.rows, "", edits: RowEdits(delete: delete, move: move))) }
        return rows
    }
}

extension ForEach where ID == Data.Element.ID, Data.Element: Identifiable {
    public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) {
        (self.data, self.content) = (data, content)
        self.id = { $0.id }
    }
}

/// The closures of a list that a user edits.
public struct RowEdits {
    public let delete: ((IndexSet) -> Void)?
    public let move: ((IndexSet, Int) -> Void)?
}
