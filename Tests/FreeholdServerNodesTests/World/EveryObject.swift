import FreeholdSyncCore

/// The conditions of worlds of nodes: all objects of a class.
struct EveryObject: ConditionMatcher {
    struct Condition: CompiledCondition {
        var goesThroughLinks: Bool { false }
        var equality: ConditionEquality? { nil }

        func matches(_ name: ObjectName, _ contents: [SyncString: MergedContent], budget: inout WorkBudget) -> Bool {
            budget.charge()
        }
    }

    func compile(_ className: SyncString, _ text: SyncString) throws(ConditionError) -> any CompiledCondition {
        Condition()
    }
}
