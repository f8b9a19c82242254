/// The names of the objects that a client requested, by request, in order.
struct FetchQueue: Sendable {
    private var requests: ArraySlice<ArraySlice<ObjectName>> = []
    /// The number of names.
    private(set) var names = 0
    /// The estimated size of the names in memory, in bytes.
    private(set) var bytes = 0

    var isEmpty: Bool { requests.isEmpty }

    /// The number of requests.
    var count: Int { requests.count }

    /// The names of the first request that weren't read yet.
    var first: ArraySlice<ObjectName>? { requests.first }

    /// Adds a request. A repeated name counts once.
    mutating func append(_ names: [ObjectName]) {
        let sorted = Set(names).sorted()
        guard !sorted.isEmpty else { return }
        requests.append(sorted[...])
        self.names += sorted.count
        bytes += sorted.reduce(0) { $0 + $1.estimatedBytes }
    }

    /// Removes names from the beginning of the first request.
    ///
    /// - Precondition: The first request has at least `count` names.
    mutating func removeFirst(_ count: Int) {
        guard var names = requests.popFirst() else { preconditionFailure("There is no request.") }
        self.names -= count
        bytes -= names.prefix(count).reduce(0) { $0 + $1.estimatedBytes }
        names.removeFirst(count)
        if !names.isEmpty { requests.insert(names, at: requests.startIndex) }
    }

    func checkInvariants() {
        assert(names == requests.reduce(0) { $0 + $1.count }, "The number isn't that of the names.")
        assert(bytes == requests.joined().reduce(0) { $0 + $1.estimatedBytes }, "The bytes aren't those of the names.")
    }
}
