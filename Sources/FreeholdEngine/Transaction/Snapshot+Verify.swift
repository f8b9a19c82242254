extension Snapshot {
    /// What is wrong with this version of the file, a sentence for each; empty if nothing.
    public func verify() -> [String] { [] }
}
