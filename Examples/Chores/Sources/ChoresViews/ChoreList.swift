#if canImport(SwiftUI) || SwiftUIShapes
    public import ChoresModel
    import RealmSwift
    #if canImport(SwiftUI)
        public import SwiftUI
    #else
        public import SwiftUIShapes
    #endif

    /// All chores, in a section for each room.
    public struct ChoreList: View {
        @ObservedSectionedResults(Chore.self, sectionKeyPath: \.room) private var rooms
        @State private var searched = ""
        @State private var isAdding = false

        public init() {}

        public var body: some View {
            NavigationStack {
                List {
                    ForEach(rooms) { room in
                        Section(room.key) {
                            ForEach(room) { chore in
                                NavigationLink {
                                    ChoreEditor(chore: chore)
                                } label: {
                                    ChoreRow(chore: chore)
                                }
                            }
                            .onDelete { offsets in $rooms.remove(atOffsets: offsets, section: room) }
                        }
                    }
                    if isAdding { NewChore { isAdding = false } }
                }
                .searchable(text: $searched, collection: $rooms, keyPath: \.title, prompt: "Search chores")
                .navigationTitle("Chores")
                .toolbar { Button("New chore") { isAdding = true } }
            }
        }
    }

    /// One chore in the list, which can be marked as done.
    public struct ChoreRow: View {
        @ObservedRealmObject private var chore: Chore

        public init(chore: Chore) { self.chore = chore }

        public var body: some View { Toggle(chore.title, isOn: $chore.isDone) }
    }

    /// The properties of a chore. Each change is stored at once.
    public struct ChoreEditor: View {
        @ObservedRealmObject private var chore: Chore

        public init(chore: Chore) { self.chore = chore }

        public var body: some View {
            Form {
                TextField("Title", text: $chore.title)
                TextField("Room", text: $chore.room)
                ForEach(chore.steps) { step in Text(step.text) }
                    .onDelete(perform: $chore.steps.remove)
                    .onMove(perform: $chore.steps.move)
                Button("Add a step") { $chore.steps.append(Step("Step \(chore.steps.count + 1)")) }
            }
        }
    }

    /// A chore that isn't stored until the button is pressed.
    public struct NewChore: View {
        @StateRealmObject private var chore = Chore()
        @ObservedResults(Chore.self) private var chores
        private let end: () -> Void

        public init(end: @escaping () -> Void) { self.end = end }

        public var body: some View {
            Section("New chore") {
                TextField("New title", text: $chore.title)
                TextField("New room", text: $chore.room)
                Button("Save \(chore.title)") {
                    $chores.append(chore)
                    end()
                }
            }
        }
    }
#endif
