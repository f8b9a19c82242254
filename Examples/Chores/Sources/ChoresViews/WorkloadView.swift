#if canImport(SwiftUI) || SwiftUIShapes
    public import ChoresModel
    #if canImport(SwiftUI)
        public import SwiftUI
    #else
        public import SwiftUIShapes
    #endif

    /// The work that is left in each room.
    public struct WorkloadView: View {
        @ObservedObject private var workload: Workload

        public init(_ workload: Workload) { self.workload = workload }

        public var body: some View {
            List {
                Text("\(Int(workload.progress * 100)) % done")
                ForEach(workload.rooms) { room in Text("\(room.name): \(room.minutes) minutes") }
            }
        }
    }
#endif
